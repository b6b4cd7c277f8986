/**
 * The images that deploy/compose.yaml names, where no registry of images is reached: this checkout's own, and Debian's PostgreSQL and Caddy under the
 * names of the real ones, as far as compose.yaml uses them. Not for images that anybody ships.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ImageStore } from '../image/image-store.ts';
import { run } from './running-program.ts';

/** The first start makes the database and runs what stands in docker-entrypoint-initdb.d: https://hub.docker.com/_/postgres. */
const postgresStart = `#!/bin/bash
set -eu
bin=$(echo /usr/lib/postgresql/*/bin); export PATH="$bin:$PATH" PGDATA=/var/lib/postgresql/data
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA"; chown -R postgres /var/lib/postgresql
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username="$POSTGRES_USER" --pwfile=<(echo "$POSTGRES_PASSWORD") --auth-host=scram-sha-256 --auth-local=trust --encoding=UTF8 --locale=C
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl -w start -o '-c listen_addresses= -c unix_socket_directories=/tmp'
  export PGHOST=/tmp
  createdb --username="$POSTGRES_USER" "$POSTGRES_USER"
  for script in /docker-entrypoint-initdb.d/*.sh; do "$script"; done
  pg_ctl -w -m fast stop
fi
exec postgres -c 'listen_addresses=*' -c unix_socket_directories=/tmp
`;

const install = (name: string) =>
  `RUN apt-get update && apt-get install --yes --no-install-recommends ${name} && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/*`;

export function makeStandIns(store: ImageStore, directory: string): void {
  const base = 'vestibule-stand-in-base';
  store.build('production');
  for (const [image, name] of [
    ['vestibule:production', 'vestibule:latest'],
    [store.base, `${base}:latest`],
  ] as const) {
    const archive = path.join(directory, 'image.tar');
    store.save(image, archive, name);
    run('docker', ['load', '--input', archive]);
    rmSync(archive);
  }
  build(directory, 'postgres:18', [
    `FROM ${base}`,
    install('postgresql'),
    'COPY start.sh /start.sh',
    'VOLUME /var/lib/postgresql',
    'STOPSIGNAL SIGINT',
    'ENTRYPOINT ["/start.sh"]',
  ]);
  build(directory, 'caddy:2', [
    `FROM ${base}`,
    install('caddy'),
    'ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data',
    'CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
  ]);
}

function build(directory: string, name: string, lines: string[]): void {
  const place = path.join(directory, name.replace(':', '-'));
  mkdirSync(place, { recursive: true });
  writeFileSync(path.join(place, 'start.sh'), postgresStart, { mode: 0o755 });
  writeFileSync(path.join(place, 'Dockerfile'), lines.join('\n'));
  // The machine's own network, which reaches Debian's packages.
  run('docker', ['build', '--quiet', '--network', 'host', '--tag', name, place], { DOCKER_BUILDKIT: '0' });
}
