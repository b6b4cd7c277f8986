/**
 * Builds substitutes for the images of deploy/compose.yaml without an image registry: this checkout, and PostgreSQL, Caddy, ClamAV
 * and Swift of Debian under the names of the real images. Only for tests.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ImageStore } from '../image/image-store.ts';
import { run } from './run-program.ts';
import { writeClamdConfig } from './services/clamav.ts';
import { swiftParts, writeSwiftConfig } from './services/swift.ts';

/** Creates the database at the first start and runs docker-entrypoint-initdb.d, as https://hub.docker.com/_/postgres does. */
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

/** Uses the port, keys and volume of compose.yaml. */
const storagePort = 7070;
const storagePlace = '/etc/stand-in';
const storageStart = `#!/bin/bash
set -eu
mkdir -p /storage/attachments/d1
sed -i "s|^user_KEYID = KEY|user_\${ROOT_ACCESS_KEY/:/_} = $ROOT_SECRET_KEY|" ${storagePlace}/proxy.conf
for part in ${swiftParts.filter((part) => part !== 'proxy').join(' ')}; do swift-$part-server ${storagePlace}/$part.conf & done
exec swift-proxy-server ${storagePlace}/proxy.conf
`;

const install = (name: string) =>
  `RUN apt-get update && apt-get install --yes --no-install-recommends ${name} && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/*`;

export function buildSubstituteImages(store: ImageStore, directory: string): void {
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
  build(directory, 'postgres:18', postgresStart, [
    `FROM ${base}`,
    install('postgresql'),
    'COPY start.sh /start.sh',
    'VOLUME /var/lib/postgresql',
    'STOPSIGNAL SIGINT',
    'ENTRYPOINT ["/start.sh"]',
  ]);
  build(directory, 'caddy:2', '', [
    `FROM ${base}`,
    install('caddy'),
    'ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data',
    'CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
  ]);
  writeClamdConfig(createImageDirectory(directory, 'clamav/clamav:stable'), {
    host: '0.0.0.0',
    port: 3310,
    signatures: '/var/lib/clamav',
  });
  build(directory, 'clamav/clamav:stable', '', [
    `FROM ${base}`,
    install('clamav-daemon'),
    'COPY clamd.conf /etc/clamav/clamd.conf',
    'COPY signatures /var/lib/clamav',
    'CMD ["clamd", "--config-file", "/etc/clamav/clamd.conf"]',
  ]);
  writeSwiftConfig(path.join(createImageDirectory(directory, 'versity/versitygw:latest'), 'settings'), {
    ports: { proxy: storagePort, object: 6200, container: 6201, account: 6202 },
    host: '0.0.0.0',
    at: storagePlace,
    devices: '/storage/attachments',
    keyId: 'KEYID',
    key: 'KEY',
  });
  build(directory, 'versity/versitygw:latest', storageStart, [
    `FROM ${base}`,
    install(swiftParts.map((part) => `swift-${part}`).join(' ')),
    `COPY settings ${storagePlace}`,
    'COPY start.sh /start.sh',
    'ENTRYPOINT ["/start.sh"]',
  ]);
}

function createImageDirectory(directory: string, name: string): string {
  const place = path.join(directory, name.replaceAll(/[:/]/g, '-'));
  mkdirSync(place, { recursive: true });
  return place;
}

function build(directory: string, name: string, start: string, lines: string[]): void {
  const place = createImageDirectory(directory, name);
  writeFileSync(path.join(place, 'start.sh'), start, { mode: 0o755 });
  writeFileSync(path.join(place, 'Dockerfile'), lines.join('\n'));
  // The network of the machine reaches the Debian packages.
  run('docker', ['build', '--quiet', '--network', 'host', '--tag', name, place], { DOCKER_BUILDKIT: '0' });
}
