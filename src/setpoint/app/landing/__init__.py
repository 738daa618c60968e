"""Landing: delivered work of stories is combined, measured as it is merged, and brought into one branch."""
