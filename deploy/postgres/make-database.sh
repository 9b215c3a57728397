#!/bin/sh
# Run by Patroni once, on the first node, when the cluster is made; $1 is how to reach it as its superuser.
# Makes the database and the user that Muniment connects as: owner of its own tables, superuser of nothing.
set -eu
: "${STORE_PASSWORD:?}"
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --set password="$STORE_PASSWORD" "$1" <<'SQL'
CREATE ROLE muniment LOGIN CREATEROLE PASSWORD :'password';
CREATE DATABASE muniment OWNER muniment ENCODING 'UTF8' TEMPLATE template0;
\connect muniment
CREATE EXTENSION vector;
SQL
