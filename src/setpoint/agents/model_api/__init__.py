"""Models by API in the roles that answer with text or JSON, and as makers without a shell."""
