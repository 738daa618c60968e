"""Report formats that many tools share: SARIF, Checkstyle, GitLab, rdjson."""
