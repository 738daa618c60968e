"""GitHub's REST API over the records of a fake forge: one module for each family of addresses."""
