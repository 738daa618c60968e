#!/bin/sh
# Clone the shared repository where that is not done yet, and run a command in the clone.
set -eu
cd ~/clone
[ -d .git ] || git clone --quiet "$REPOSITORY" .
exec "$@"
