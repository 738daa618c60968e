"""Reading what tools write, one file per report format; each raises `BadReport` where it cannot."""
