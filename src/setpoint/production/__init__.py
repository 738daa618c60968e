"""Loop 5: signals from production become incidents, stories and watched fixes."""
