#!/bin/sh
# Run once by the image of PostgreSQL on an empty database: creates the role of the application. It owns nothing, gets its rights
# at each start of Vestibule, and cannot change the activity log.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres --set password="$POSTGRES_PASSWORD" <<'SQL'
create role vestibule_app login password :'password';
SQL
