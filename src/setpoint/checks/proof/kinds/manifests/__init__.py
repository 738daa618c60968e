"""What manifests let run, install and package."""
