"""Work with people at a forge: issues become stories, results become pull requests."""
