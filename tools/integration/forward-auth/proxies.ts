/** Starts Caddy, nginx or HAProxy (apt-get install caddy nginx haproxy) with the files of deploy/forward-auth. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startChild } from '../../../bench/harness/process.ts';
import { root } from '../../install.mjs';
import { answers, run } from '../fixture.ts';

export const hosts = {
  portal: 'portal.vestibule.test',
  calendar: 'calendar.example.test',
  flows: 'flows.example.test',
};

export type Setup = {
  directory: string;
  /** Port of the proxy for all hosts. */
  port: number;
  vestibule: number;
  radicale: number;
  nodeRed: number;
};

export const proxyNames = ['caddy', 'nginx', 'haproxy'] as const;
export type ProxyName = (typeof proxyNames)[number];

const read = (file: string) => readFileSync(path.join(root, 'deploy/forward-auth', file), 'utf8');

/** Creates a certificate authority and a certificate of all hosts. Returns the authority's certificate. */
export function createCertificates(directory: string): string {
  const at = (name: string) => path.join(directory, name);
  const openssl = (words: string, ...parameters: string[]) =>
    run('openssl', [...words.split(' '), ...parameters]);
  openssl(
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=Test',
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.pem'),
  );
  openssl(
    `req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=${hosts.portal}`,
    '-keyout',
    at('site.key'),
    '-out',
    at('site.csr'),
  );
  const names = Object.values(hosts).map((host) => `DNS:${host}`);
  writeFileSync(at('names'), `subjectAltName=${names.join(',')}`);
  openssl(
    'x509 -req -days 2 -CAcreateserial',
    '-in',
    at('site.csr'),
    '-CA',
    at('ca.pem'),
    '-CAkey',
    at('ca.key'),
    '-extfile',
    at('names'),
    '-out',
    at('site.pem'),
  );
  writeFileSync(at('both.pem'), readFileSync(at('site.pem'), 'utf8') + readFileSync(at('site.key'), 'utf8'));
  return readFileSync(at('ca.pem'), 'utf8');
}

/** Returns the part of a text from `start` to its end. Throws if the text has no such part. */
function partFrom(text: string, start: string): string {
  const index = text.indexOf(start);
  if (index < 0) throw new Error(`The file has no line "${start}"`);
  return text.slice(index);
}

/** Replaces the example's addresses. The second application repeats the block of the first one. */
function fill(text: string, setup: Setup, host: string, application: number): string {
  return text
    .replaceAll('calendar.example.com', host)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${setup.vestibule}`)
    .replaceAll('127.0.0.1:5232', `127.0.0.1:${application}`);
}

const hostPlaceholder = '{$APPLICATION_HOST:calendar.example.com}';

function caddyfile(setup: Setup): string {
  const { directory, port, vestibule, radicale, nodeRed } = setup;
  const example = read('Caddyfile');
  const block = partFrom(example, `${hostPlaceholder} {`);
  const tls = `\ttls ${directory}/site.pem ${directory}/site.key`;
  const site = (host: string, application: number) =>
    fill(
      block.replace(`${hostPlaceholder} {`, `calendar.example.com:${port} {\n${tls}`),
      setup,
      host,
      application,
    );
  return `{
	admin off
	auto_https disable_redirects
	storage file_system ${directory}/caddy
}
${fill(example.slice(0, -block.length), setup, hosts.calendar, radicale)}
${site(hosts.calendar, radicale)}
${site(hosts.flows, nodeRed)}
${hosts.portal}:${port} {
${tls}
	reverse_proxy 127.0.0.1:${vestibule}
}
`;
}

function nginxFile(setup: Setup): string {
  const { directory, port, vestibule, radicale, nodeRed } = setup;
  for (const part of ['nginx-vestibule-server.conf', 'nginx-vestibule-location.conf'])
    writeFileSync(path.join(directory, part), read(part));
  const example = read('nginx.conf').replace('listen 443', `listen 127.0.0.1:${port}`);
  const block = partFrom(example, 'server {');
  const filled = (text: string, host: string, application: number) =>
    fill(text, setup, host, application)
      .replaceAll(/\/etc\/ssl\/[\w.]+\.pem/g, `${directory}/site.pem`)
      .replaceAll(/\/etc\/ssl\/[\w.]+\.key/g, `${directory}/site.key`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/nginx-${name};`,
  );
  return `daemon off;
user root;
pid ${directory}/nginx.pid;
error_log stderr warn;
events {}
http {
access_log off;
${paths.join('\n')}
${filled(example, hosts.calendar, radicale)}
${filled(block, hosts.flows, nodeRed)}
server {
  listen 127.0.0.1:${port} ssl http2;
  server_name ${hosts.portal};
  ssl_certificate ${directory}/site.pem;
  ssl_certificate_key ${directory}/site.key;
  location / {
    proxy_pass http://127.0.0.1:${vestibule};
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
  }
}
}
`;
}

function haproxyFile(setup: Setup): string {
  const { directory, port, radicale, nodeRed } = setup;
  writeFileSync(path.join(directory, 'forward-auth.lua'), read('forward-auth.lua'));
  const example = read('haproxy.cfg')
    .replace('bind :443', `bind 127.0.0.1:${port}`)
    .replace(/crt \S+/, `crt ${directory}/both.pem`)
    .replace('calendar.example.com:443', `calendar.example.com:${port}`)
    .replaceAll('/etc/haproxy/', `${directory}/`)
    .replace(/ {2}acl is_vestibule .*\n/, `$&  acl is_vestibule req.fhdr(host) ${hosts.portal}:${port}\n`);
  const [route = ''] = /^ {2}use_backend calendar .*\n/m.exec(example) ?? [];
  const second = (text: string) =>
    text
      .replaceAll('calendar.example.com', hosts.flows)
      .replaceAll('calendar', 'flows')
      .replace('5232', String(nodeRed));
  const backend = second(partFrom(example, 'backend calendar\n'));
  return `${fill(example.replace(route, route + second(route)), setup, hosts.calendar, radicale)}\n${backend}`;
}

const starts: Record<ProxyName, { file: (setup: Setup) => string; command: (file: string) => string[] }> = {
  caddy: {
    file: caddyfile,
    command: (file) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', file],
  },
  nginx: { file: nginxFile, command: (file) => ['nginx', '-c', file] },
  haproxy: { file: haproxyFile, command: (file) => ['haproxy', '-db', '-f', file] },
};

/** Starts a proxy for the portal and both applications. */
export async function startProxy(cleanup: AsyncDisposableStack, name: ProxyName, setup: Setup) {
  const { file, command } = starts[name];
  const at = path.join(setup.directory, `${name}.conf`);
  writeFileSync(at, file(setup));
  const [program = '', ...parameters] = command(at);
  const proxy = await startChild(program, parameters, () => answers(setup.port));
  cleanup.defer(async () => void (await proxy.stop()));
  return proxy;
}
