"""Whether tests compare what values are made of, where the change says itself what is equal."""
