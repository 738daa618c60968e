"""What the faces show: runs, metrics and production in the shapes that pages, verbs and exports need."""
