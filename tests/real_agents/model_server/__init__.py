"""A model that plays a script on loopback, in the dialects real agents speak: they need no key."""
