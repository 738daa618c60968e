"""What a project is: its layout, its interpreters, and which tools are its own."""
