"""Decide what is learnt, believed, recalled, merged and retired."""
