"""What tests compare with: whether they still pass with it as it was at the base."""
