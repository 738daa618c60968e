"""Which paths are protected, and what runs unasked: start-up files, links, scripts of commands."""
