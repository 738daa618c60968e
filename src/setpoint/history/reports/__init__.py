"""Reports of a run: Markdown, HTML, progress file and plots."""
