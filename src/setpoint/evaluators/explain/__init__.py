"""Why a tree is red: where each cause lies, how near to the change, and which lines are suspicious."""
