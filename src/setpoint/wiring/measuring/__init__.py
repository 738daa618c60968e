"""Measuring apart from runs: watched trees, mutants, the quarantine, evidence made again."""
