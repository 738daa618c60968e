"""The runs that a verdict rests on, one file each; nothing here names a language."""
