#!/bin/sh
# Sets up Muniment on a Citus cluster whose nodes run and have the extensions citus and vector at hand. Safe to run again.
#   COORDINATOR=host:port WORKERS="host:port host:port" DATABASE=memory OWNER_PASSWORD=… APP_PASSWORD=… sh set-up.sh
# It logs in as SUPERUSER (postgres) everywhere; libpq's own settings (PGPASSWORD, ~/.pgpass, PGSSLMODE) apply.
# MUNIMENT=true leaves the fourth step to another machine.
set -eu
: "${COORDINATOR:?host:port}" "${WORKERS:?host:port host:port …}" "${OWNER_PASSWORD:?}" "${APP_PASSWORD:?}"
DATABASE=${DATABASE:-memory} SUPERUSER=${SUPERUSER:-postgres} MUNIMENT=${MUNIMENT:-muniment}
at() { # at HOST:PORT DATABASE: run what comes on standard input there
    psql --no-psqlrc --quiet --tuples-only --set ON_ERROR_STOP=1 \
        --host="${1%:*}" --port="${1##*:}" --username="$SUPERUSER" --dbname="$2" \
        --set database="$DATABASE" --set host="${1%:*}" --set port="${1##*:}" \
        --set owner="$OWNER_PASSWORD" --set app="$APP_PASSWORD"
}

# 1. The database and the extensions, on every node.
for node in $COORDINATOR $WORKERS; do
    at "$node" postgres <<'SQL'
SELECT format('CREATE DATABASE %I ENCODING ''UTF8'' TEMPLATE template0', :'database')
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \gexec
SQL
    at "$node" "$DATABASE" <<'SQL'
SELECT format('CREATE EXTENSION %I', wanted) FROM unnest(ARRAY['citus', 'vector']) AS wanted
WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = wanted) \gexec
SQL
done

# 2. The cluster: the coordinator knows itself and its workers.
at "$COORDINATOR" "$DATABASE" <<'SQL'
SELECT citus_set_coordinator_host(:'host', :port);
SQL
for node in $WORKERS; do
    at "$COORDINATOR" "$DATABASE" <<SQL
SELECT citus_add_node('${node%:*}', ${node##*:});
SQL
done

# 3. Who owns, who writes, who reads, and the user that servers and programs log in as. The coordinator tells the others.
at "$COORDINATOR" "$DATABASE" <<'SQL'
SELECT format('CREATE ROLE %I LOGIN', wanted) FROM unnest(ARRAY['muniment_writer', 'muniment_reader']) AS wanted
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) \gexec
SELECT format('CREATE ROLE owner LOGIN PASSWORD %L IN ROLE muniment_writer, muniment_reader', :'owner')
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'owner') \gexec
SELECT format('CREATE ROLE app LOGIN PASSWORD %L IN ROLE muniment_writer', :'app')
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'app') \gexec
GRANT CREATE ON DATABASE :"database" TO owner;
SQL

# 4. The vault, as its owner: tables, rights, a signing key, a policy; then all of it is spread over the workers.
PGPASSWORD=$OWNER_PASSWORD
export PGPASSWORD
"$MUNIMENT" --vault "postgresql://owner@$COORDINATOR/$DATABASE" init
"$MUNIMENT" migrate "postgresql://owner@$COORDINATOR/$DATABASE" --citus --dry-run
"$MUNIMENT" migrate "postgresql://owner@$COORDINATOR/$DATABASE" --citus --yes
echo "ready: postgresql://app@$COORDINATOR/$DATABASE"
