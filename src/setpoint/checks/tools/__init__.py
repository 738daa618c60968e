"""Run one tool and decide whether its answer can be trusted."""
