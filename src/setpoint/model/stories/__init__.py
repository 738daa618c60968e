"""Stories and the board they lie on."""
