"""Those who play roles: agents behind ACP or a plain command, and the built-in mechanic and rules."""
