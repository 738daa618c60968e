"""Make mutants of the code and ask which of them the tests notice."""
