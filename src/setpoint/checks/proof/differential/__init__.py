"""The changed functions at the base and on the result, called with the same arguments."""
