"""Work copies of the user's repository, and the branches delivered from them."""
