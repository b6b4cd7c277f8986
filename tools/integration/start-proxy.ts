/** Starts the proxies with the files of deploy/; only name, certificate, ports and addresses are replaced. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../install.mjs';
import type { Certificate } from './test-certificate.ts';
import { answers, startProgram, type Program } from './run-program.ts';

export const siteName = 'portal.example.com';

type Place = {
  directory: string;
  certificate: Certificate;
  ports: { https: number; http: number };
  processes: number[];
};

/** Replaces each text. Throws if one is missing. */
function replaceAll(text: string, pairs: [string, string][]): string {
  return pairs.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`This file of deploy/ does not contain "${from}".`);
    return changed.replaceAll(from, to);
  }, text);
}

const readDeploy = (file: string) => readFileSync(path.join(root, 'deploy', file), 'utf8');

function startNginx({ directory, certificate, ports, processes }: Place): Promise<Program> {
  const site = replaceAll(readDeploy('nginx.conf'), [
    [
      'server 127.0.0.1:3000 ',
      processes.map((port) => `server 127.0.0.1:${port} `).join('max_fails=1 fail_timeout=5s;\n  '),
    ],
    ['/etc/ssl/portal.example.com.pem', certificate.certificate],
    ['/etc/ssl/portal.example.com.key', certificate.key],
    ['/var/log/nginx/vestibule.log', path.join(directory, 'access.log')],
    ['listen 443 ', `listen 127.0.0.1:${ports.https} `],
    ['listen 80;', `listen 127.0.0.1:${ports.http};`],
  ]);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${directory}/${kind};`,
  );
  const file = path.join(directory, 'nginx.conf');
  writeFileSync(
    file,
    `user root;\ndaemon off;\npid ${directory}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\n${places.join('\n')}\n${site}}\n`,
  );
  return startProgram('nginx', ['-c', file, '-p', directory, '-e', 'stderr'], () => answers(ports.https));
}

function startCaddy({ directory, certificate, ports, processes }: Place): Promise<Program> {
  const site = replaceAll(readDeploy('Caddyfile'), [
    [
      '{$SITE_HOST:portal.example.com} {',
      `{$SITE_HOST:portal.example.com} {\n\tbind 127.0.0.1\n\ttls ${certificate.certificate} ${certificate.key}`,
    ],
  ]);
  const file = path.join(directory, 'Caddyfile');
  writeFileSync(file, `{\n\tadmin off\n\thttps_port ${ports.https}\n\thttp_port ${ports.http}\n}\n${site}`);
  return startProgram(
    'caddy',
    ['run', '--config', file, '--adapter', 'caddyfile'],
    () => answers(ports.https),
    {
      HOME: directory,
      SITE_PROCESSES: processes.map((port) => `127.0.0.1:${port}`).join(' '),
    },
  );
}

function startHaproxy({ directory, certificate, ports, processes }: Place): Promise<Program> {
  const site = replaceAll(readDeploy('haproxy.cfg'), [
    [
      'server process1 127.0.0.1:3000',
      processes.map((port, index) => `server process${index + 1} 127.0.0.1:${port}`).join('\n  '),
    ],
    ['  # server process2 127.0.0.1:3010\n', ''],
    ['/etc/ssl/portal.example.com.pem', certificate.both],
    ['bind :443 ', `bind 127.0.0.1:${ports.https} `],
    ['bind :80', `bind 127.0.0.1:${ports.http}`],
  ]);
  const file = path.join(directory, 'haproxy.cfg');
  writeFileSync(file, site);
  return startProgram('haproxy', ['-f', file, '-db'], () => answers(ports.https));
}

const starters = { nginx: startNginx, caddy: startCaddy, haproxy: startHaproxy };
export type ProxyKind = keyof typeof starters;
export const proxyKinds = Object.keys(starters) as ProxyKind[];

export function startProxy(kind: ProxyKind, place: Place): Promise<Program> {
  const directory = path.join(place.directory, kind);
  mkdirSync(directory, { recursive: true });
  return starters[kind]({ ...place, directory });
}
