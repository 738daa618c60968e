"""What the project's own tests give: its fixtures, and objects built as its tests build them."""
