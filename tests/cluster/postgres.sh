#!/bin/sh
# The entrypoint of the PostgreSQL of `make cluster`: makes the database on an empty volume, and serves it.
set -eu
bin=/native/bin data=/data/postgres
if [ ! -s $data/PG_VERSION ]; then
  printf %s "$POSTGRES_PASSWORD" >/tmp/password
  $bin/initdb --pgdata $data --username=imageanalysis --auth=scram-sha-256 --pwfile=/tmp/password --encoding=UTF8 --locale=C
  echo 'host all all all scram-sha-256' >>$data/pg_hba.conf
fi
exec $bin/postgres -D $data -c 'listen_addresses=*' -c unix_socket_directories=/tmp
