"""What other systems say, one file for each: read once, here, into the words of the domain."""
