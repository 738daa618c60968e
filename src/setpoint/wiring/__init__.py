"""Turn settings into objects: the only place that knows every adapter."""
