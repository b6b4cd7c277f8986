/**
 * Checks that files of deploy/ name only existing variables, ports, files, volumes and services. tools/integration/containers.ts
 * runs the images.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import {
  publicShutdownDelaySeconds,
  readConfig,
  variableNames,
} from '../../apps/server/src/platform/config/read-config.ts';
import {
  createIdentityHeaders,
  noIdentity,
} from '../../apps/server/src/features/applications/identity-headers.ts';
import { root } from '../install.mjs';
import { serverFlags } from '../../apps/server/src/server-flags.mjs';

const deploy = path.join(root, 'deploy');
const read = (file: string) => readFileSync(path.join(deploy, file), 'utf8');
/** Stop timeout: shutdown delay of a public site, at most 20 s for open requests, and 5 s spare. */
const stopSeconds = publicShutdownDelaySeconds + 20 + 5;
/** The parts of the files that the tests read. */
type Service = {
  build?: object;
  environment?: Record<string, string>;
  stop_grace_period?: string;
  networks: string[];
  volumes?: string[];
  depends_on?: object;
};
type Compose = {
  services: Record<string, Service>;
  networks: Record<string, { ipam: { config: { subnet: string }[] } }>;
  volumes: object;
};
type Container = {
  image: string;
  ports?: { name: string; containerPort: number }[];
  envFrom: object[];
  readinessProbe?: { httpGet: { path: string } };
  volumeMounts: { name: string }[];
};
type Pod = {
  terminationGracePeriodSeconds?: number;
  containers: Container[];
  volumes: { name: string; persistentVolumeClaim?: { claimName: string } }[];
};
type Labels = Record<string, string>;
type Manifests = {
  ConfigMap: { data: Record<string, string> };
  Secret: { stringData: Record<string, string> };
  Deployment: {
    spec: {
      replicas: number;
      selector: { matchLabels: Labels };
      template: { metadata: { labels: Labels }; spec: Pod };
    };
  };
  CronJob: { spec: { jobTemplate: { spec: { template: { spec: Pod } } } } };
  Service: { spec: { selector: Labels; ports: { name: string; targetPort: string }[] } };
  PodDisruptionBudget: { spec: { minAvailable: number; selector: { matchLabels: Labels } } };
  Ingress: { spec: { rules: { host: string; http: { paths: { backend: { service: object } }[] } }[] } };
  PersistentVolumeClaim: object;
};
type Manifest = { kind: string; metadata: { name: string } };

const unknownTo = (names: string[]) => names.filter((name) => !variableNames.includes(name));

describe('the Dockerfile', () => {
  const text = read('Dockerfile');

  test('starts the server with the flags of npm start as an unprivileged user', () => {
    const started = [...text.matchAll(/^ENTRYPOINT (.+)$/gm)].map(([, json = '']) => JSON.parse(json));
    const entrypoint = ['/usr/local/bin/node', ...serverFlags, '/app/tools/image-entrypoint.mjs'];
    expect(started).toEqual([entrypoint, entrypoint]);
    expect(new Set(text.match(/^USER .*$/gm))).toEqual(new Set(['USER 1000:1000']));
    expect(text).toContain(`NODE_COMPILE_CACHE=/tmp/compiled node ${serverFlags.join(' ')} /app/tools`);
  });

  test('uses the Node.js version of the project', () => {
    const { devDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    const [, major] = /^ARG NODE_IMAGE=\S+\/node:(\d+)-/m.exec(text) ?? [];
    expect(major).toBe(/\d+/.exec(devDependencies.node)?.[0]);
  });

  test('sets only supported variables and exposes the ports of the server', () => {
    const set = [...text.matchAll(/^ENV (.+)$/gm)].flatMap(([, pairs = '']) =>
      pairs.split(' ').map((pair) => pair.split('=')[0] ?? ''),
    );
    expect(unknownTo(set)).toEqual(['NODE_COMPILE_CACHE', 'PATH', 'NODE_COMPILE_CACHE']);
    expect(text.match(/^EXPOSE .*$/gm)).toEqual(['EXPOSE 3000 3001 3002', 'EXPOSE 3000']);
  });
});

describe('compose.yaml', () => {
  const { services, volumes, networks } = load(read('compose.yaml')) as Compose;
  const sites = Object.entries(services).filter(([, { build }]) => build);
  const example = read('.env.example');
  const values = [...example.matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);

  /** Replaces variables like Docker Compose. */
  const filled: Record<string, string> = {
    SITE_HOST: 'portal.example.com',
    ADMIN_EMAIL: 'ada@example.com',
    SMTP_URL: 'smtps://user:password@mail.example.com',
    SECRET: '0123456789abcdef'.repeat(4),
    DATABASE_PASSWORD: 'abcdef0123456789',
  };
  const fill = (text: string): string =>
    text.replace(
      /\$\{(\w+)(?::([-?])((?:\$\{\w+\}|[^}])*))?\}/g,
      (_, name: string, kind?: string, other = '') =>
        filled[name] ?? (kind === '-' ? fill(other) : `no ${name}`),
    );

  test('requires five values', () => {
    expect(values).toEqual(Object.keys(filled));
    const asked = [...read('compose.yaml').matchAll(/\$\{(\w+)(?!\w*:-)[^}]*\}/g)].map(
      ([, name = '']) => name,
    );
    expect(asked.filter((name) => !values.includes(name))).toEqual([]);
  });

  test.each(sites)('%s has a valid environment without development parts', (_, site) => {
    const { environment = {} } = site;
    expect(unknownTo(Object.keys(environment))).toEqual([]);
    const given = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(value)]));
    const config = readConfig({ HOST: '0.0.0.0', DATA_DIR: '/data', ...filled, ...given });
    expect(config).toMatchObject({
      isPublic: true,
      isDemonstration: false,
      embeddedProvider: null,
      mailbox: null,
      publicUrl: 'https://portal.example.com',
      mailFrom: 'no-reply@portal.example.com',
      passkeys: { rpId: 'portal.example.com' },
    });
    expect(new URL(config.databaseUrl ?? '').hostname in services).toBe(true);
    expect(config.databaseOwnerUrl).not.toBe(config.databaseUrl);
    expect(Number.parseInt(site.stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(stopSeconds);
    expect(site).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(networks[site.networks[0] ?? '']?.ipam.config[0]?.subnet).toBe(
      config.trustProxy && config.trustProxy[0],
    );
  });

  test('the proxy gets every variable of the Caddyfile and forwards to both processes', () => {
    const { environment = {}, volumes: mounted = [] } = services['proxy'] ?? {};
    const text = read('Caddyfile') + read('forward-auth/Caddyfile');
    const placeholders = [...text.matchAll(/\{\$(\w+):/g)].map(([, name = '']) => name);
    expect(new Set(Object.keys(environment))).toEqual(new Set(placeholders));
    const { port } = readConfig({});
    expect(environment['SITE_PROCESSES']).toBe(`site-1:${port} site-2:${port}`);
    expect(sites.map(([name]) => name)).toEqual(['site-1', 'site-2', 'backup']);
    expect(mounted[0]).toBe('./Caddyfile:/etc/caddy/Caddyfile:ro');
  });

  test('every referenced file, volume, network and service exists', () => {
    for (const { volumes: mounted = [], networks: joined, depends_on: needed = {} } of Object.values(
      services,
    )) {
      const places = mounted.map((one) => one.split(':')[0] ?? '');
      const isFile = (place: string) => place.startsWith('.');
      expect(places.filter(isFile).filter((place) => !existsSync(path.join(deploy, place)))).toEqual([]);
      expect(Object.keys(volumes)).toEqual(expect.arrayContaining(places.filter((place) => !isFile(place))));
      expect(Object.keys(networks)).toEqual(expect.arrayContaining(joined));
      expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(needed)));
    }
  });
});

describe('the Kubernetes manifests', () => {
  const { resources, images } = load(read('kubernetes/kustomization.yaml')) as {
    resources: string[];
    images: { name: string; newTag: string }[];
  };
  const files = [...resources, 'secret.example.yaml'];
  const all = files.map((file) => load(read(`kubernetes/${file}`)) as Manifest);
  const find = <Kind extends keyof Manifests>(kind: Kind) =>
    all.find((one) => one.kind === kind) as Manifest & Manifests[Kind];

  test('lists all manifests', () => {
    expect(new Set(readdirSync(path.join(deploy, 'kubernetes')))).toEqual(
      new Set([...files, 'kustomization.yaml']),
    );
  });

  test('uses the image of this version', () => {
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    expect(images.map(({ newTag }) => newTag)).toEqual([version]);
    expect(/^ARG VERSION=(.+)$/m.exec(read('Dockerfile'))?.[1]).toBe(version);
  });

  test('has a valid environment', () => {
    const { data } = find('ConfigMap');
    const { stringData } = find('Secret');
    expect(unknownTo(Object.keys({ ...data, ...stringData }))).toEqual([]);
    const config = readConfig({
      HOST: '0.0.0.0',
      ...data,
      ...stringData,
      SECRET: '0123456789abcdef'.repeat(4),
    });
    expect(config).toMatchObject({
      isPublic: true,
      isDemonstration: false,
      embeddedProvider: null,
      mailbox: null,
    });
  });

  test('runs two processes with a disruption budget of one and readiness probes', () => {
    const { spec } = find('Deployment');
    const { containers, terminationGracePeriodSeconds } = spec.template.spec;
    expect(spec.replicas).toBe(2);
    expect(find('PodDisruptionBudget').spec.minAvailable).toBe(1);
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(stopSeconds);
    expect(containers[0]?.readinessProbe?.httpGet.path).toBe('/readyz');
    expect(containers[0]?.ports?.[0]?.containerPort).toBe(readConfig({}).port);
  });

  test('has consistent references', () => {
    const { spec } = find('Deployment');
    const labels = spec.template.metadata.labels;
    expect(spec.selector.matchLabels).toEqual(labels);
    expect(find('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    const service = find('Service');
    expect(service.spec.selector).toEqual(labels);
    expect(spec.template.spec.containers[0]?.ports?.map(({ name }) => name)).toContain(
      service.spec.ports[0]?.targetPort,
    );
    const [rule] = find('Ingress').spec.rules;
    expect(rule?.http.paths[0]?.backend.service).toEqual({
      name: service.metadata.name,
      port: { name: service.spec.ports[0]?.name },
    });
    expect(`https://${rule?.host}`).toBe(find('ConfigMap').data['PUBLIC_URL']);
    for (const pod of [spec.template.spec, find('CronJob').spec.jobTemplate.spec.template.spec]) {
      expect(images.map(({ name }) => name)).toContain(pod.containers[0]?.image);
      const volumes = pod.volumes.map(({ name }) => name);
      expect(pod.containers[0]?.volumeMounts.map(({ name }) => name)).toEqual(volumes);
      expect(pod.volumes[0]?.persistentVolumeClaim?.claimName).toBe(
        find('PersistentVolumeClaim').metadata.name,
      );
      expect(pod.containers[0]?.envFrom).toEqual([
        { configMapRef: { name: find('ConfigMap').metadata.name } },
        { secretRef: { name: find('Secret').metadata.name } },
      ]);
    }
  });
});

describe('the examples of forward authentication', () => {
  const names = Object.keys(noIdentity);
  const files = {
    Caddyfile: ['Caddyfile'],
    nginx: ['nginx-vestibule-location.conf'],
    HAProxy: ['forward-auth.lua'],
    Traefik: ['traefik.yaml'],
    'ingress-nginx': ['ingress-nginx.yaml'],
  };

  // tools/integration/forward-auth.ts sends forged headers through Caddy, nginx and HAProxy.
  test.each(Object.entries(files))('%s forwards every identity header', (_, parts) => {
    const text = parts.map((file) => read(`forward-auth/${file}`).toLowerCase()).join('\n');
    expect(names.filter((name) => !text.includes(name))).toEqual([]);
  });

  test.each(['nginx-vestibule-server.conf', 'ingress-nginx.yaml'])(
    '%s accepts the identity headers of a user with many groups and a long name',
    async (file) => {
      const { privateKey } = await crypto.subtle.generateKey(
        {
          name: 'RSASSA-PKCS1-v1_5',
          hash: 'SHA-256',
          modulusLength: 2048,
          publicExponent: new Uint8Array([1, 0, 1]),
        },
        true,
        ['sign', 'verify'],
      );
      const identityHeadersOf = createIdentityHeaders({
        keys: { current: () => Promise.resolve({ kid: 'a'.repeat(43), privateKey }) },
        publicUrl: 'https://portal.example.com',
        now: () => 0,
      });
      const email = `${'a'.repeat(242)}@example.com`;
      const headers = await identityHeadersOf(
        {
          id: '0192f0c1-1111-7abc-8def-0123456789ab',
          email,
          email_canonical: email,
          display_name: '名'.repeat(100),
          role: 'member',
          status: 'active',
          may_open: true,
          memberships: null,
          directory_groups: Array.from({ length: 50 }, (_, index) => `Controlling Europe ${index}`),
        },
        'https://wiki.example.com',
      );
      const [, kilobytes] = /proxy[-_]buffer[-_]size:? (\d+)k/.exec(read(`forward-auth/${file}`)) ?? [];
      // Twice the size, for the other headers of the response.
      expect(Number(kilobytes ?? 4) * 1024).toBeGreaterThan(2 * JSON.stringify(headers).length);
    },
  );

  test('Traefik removes the headers of the client with hyphens and underscores', () => {
    const { http } = load(read('forward-auth/traefik.yaml')) as {
      http: {
        middlewares: {
          'remove-identity': { headers: { customRequestHeaders: Record<string, string> } };
          vestibule: { forwardAuth: { authResponseHeaders: string[]; trustForwardHeader: boolean } };
        };
        routers: Record<string, { middlewares?: string[] }>;
      };
    };
    const { forwardAuth } = http.middlewares.vestibule;
    const removed = http.middlewares['remove-identity'].headers.customRequestHeaders;
    expect(forwardAuth.authResponseHeaders.map((name) => name.toLowerCase())).toEqual(names);
    expect(forwardAuth.trustForwardHeader).toBe(false);
    expect(Object.values(removed).every((value) => value === '')).toBe(true);
    const lower = Object.keys(removed).map((name) => name.toLowerCase());
    expect(lower).toEqual(
      expect.arrayContaining([...names, ...names.map((name) => name.replaceAll('-', '_'))]),
    );
    expect(http.routers['grafana']?.middlewares).toEqual(['remove-identity', 'vestibule']);
  });
});

test('docs/run-it.md states the stop timeout', () => {
  expect(readFileSync(path.join(root, 'docs/run-it.md'), 'utf8')).toContain(
    `Give the process ${stopSeconds} seconds after the signal`,
  );
});

test('the systemd unit starts the server and has a sufficient stop timeout', () => {
  const unit = Object.fromEntries(
    [...read('vestibule.service').matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
  expect(unit['ExecStart']).toBe('/usr/bin/node tools/run.mjs start');
  // systemd sends the signal to run.mjs only, which forwards it.
  expect(unit['KillMode']).toBe('mixed');
  expect(unknownTo([unit['Environment']?.split('=')[0] ?? ''])).toEqual([]);
  expect(Number(unit['TimeoutStopSec'])).toBeGreaterThanOrEqual(stopSeconds);
  expect(unit['WorkingDirectory']).toBe(unit['ReadWritePaths']);
});
