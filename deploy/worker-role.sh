#!/bin/sh
# Make the role of the workers with the database; `setpoint db migrate --role worker` gives it its rights.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_USER" --quiet <<SQL
CREATE ROLE worker LOGIN PASSWORD '$WORKER_PASSWORD';
SQL
