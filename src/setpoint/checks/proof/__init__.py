"""Proving a change: a test or command that fails without it, and tests that notice when it is sabotaged.

`prove.py` measures the obligations in turn. Each room holds what proves one: `witness`, `sensitivity`,
`named` (what the request names), `differential` (the same calls on both sides), `process` (code that tells
tests apart), `equality` (values that say what they equal), `instrument` (canaries), `arrangement` (the second
run) and `kinds` (what other kinds owe).
"""
