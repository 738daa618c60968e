"""Count tokens and price them: meter, price table, counting proxy."""
