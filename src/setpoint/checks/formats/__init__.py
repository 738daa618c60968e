"""Parse reports of tools, one file per format; each raises `BadReport` on bad input."""
