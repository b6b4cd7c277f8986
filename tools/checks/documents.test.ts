import { execFileSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { filesPerHour } from '@vestibule/contract/attachments/errors';
import {
  batchMaximum,
  listedIdsMaximum,
  lifetimeMaximumDays,
  selectionMaximum,
} from '@vestibule/contract/rules/limits';
import { logoMaximumBytes } from '@vestibule/contract/settings';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../apps/server/src/platform/config/read-config.ts';
import { pictureMaximumPixels } from '../../apps/server/src/platform/picture.ts';
import { root } from '../install.mjs';

test.each([
  ['administrators.md', /CSV file.{1,40}?([\d,]+) rows/, [batchMaximum]],
  ['administrators.md', /Up to ([\d,]+) rows.{1,300}?up to ([\d,]+)/, [listedIdsMaximum, selectionMaximum]],
  [
    'administrators.md',
    /logo.{1,80}?(\d+) kB and (\d+) pixels/,
    [logoMaximumBytes / 1024, pictureMaximumPixels],
  ],
  ['administrators.md', /stay open \(1 to (\d+) days\)/, [lifetimeMaximumDays]],
  ['configuration.md', /INVITATION_LIFETIME_DAYS.{1,120}?1 to (\d+) days/, [lifetimeMaximumDays]],
  ['members.md', /hour.{1,30}?([\d,]+) files.{1,20}?([\d,]+).{1,20}?([\d,]+)/, Object.values(filesPerHour)],
])('docs/%s states the current limits: %s', (document, numbers, limits) => {
  const text = readFileSync(path.join(root, 'docs', document), 'utf8');
  const [, ...stated] = numbers.exec(text.replaceAll(/\s+/g, ' ')) ?? [];
  expect(stated.map((number) => Number(number.replaceAll(',', '')))).toEqual(limits);
});

test('the settings in docs/run-it.md for a site without a provider are valid in a shell and for the server (M7)', () => {
  const text = readFileSync(path.join(root, 'docs', 'run-it.md'), 'utf8');
  const [, lines = ''] = /cat > vestibule\.env <<'END'\n(.+?)\nEND\n/s.exec(text) ?? [];
  const read = execFileSync('sh', ['-c', `set -a\n${lines}\nset +a\nenv -0`], { env: {}, encoding: 'utf8' });
  const env = Object.fromEntries(read.split('\0').map((line) => line.split(/=(.*)/s)));
  expect(readConfig(env)).toMatchObject({
    publicUrl: 'https://portal.example.com',
    mailFrom: 'portal@example.com',
    passkeys: expect.anything(),
  });
});

test('docs/privacy.md lists every cookie', () => {
  const sources = globSync('apps/{server,web}/src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(path.join(root, file), 'utf8'));
  const names = [...sources.join('\n').matchAll(/'(__Host-[\w-]+)'|storeChoice\('([\w-]+)'/g)].map(
    (match) => match[1] ?? match[2],
  );
  const page = readFileSync(path.join(root, 'docs/privacy.md'), 'utf8');
  expect(names.length).toBeGreaterThan(8);
  expect(names.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
});

describe('the blocks about traces in docs/run-it.md', () => {
  const text = readFileSync(path.join(root, 'docs', 'run-it.md'), 'utf8');
  const variables = [...text.matchAll(/\b(OTEL_\w+)=([^\s`]+)/g)].map(([, name = '', value = '']) => ({
    name,
    value,
  }));
  const addresses = variables.filter(({ name }) => name.endsWith('_ENDPOINT')).map(({ value }) => value);
  const sampling = variables.filter(({ name }) => name.startsWith('OTEL_TRACES_'));

  test('name variables that the server supports', () => {
    const given = Object.fromEntries(sampling.map(({ name, value }) => [name, value]));
    expect(addresses).toEqual(['http://localhost:4318', 'http://collector:4318']);
    for (const address of addresses)
      expect(readConfig({ ...given, OTEL_EXPORTER_OTLP_ENDPOINT: address }).traces).toMatchObject({
        address: `${address}/v1/traces`,
        sampler: { followsParent: true, share: 0.1 },
      });
  });

  test('use a port that Jaeger opens and a receiver of a complete collector configuration', () => {
    const { port } = new URL(addresses[0] as string);
    expect(text).toMatch(new RegExp(`^docker run .*-p ${port}:${port} jaegertracing/jaeger:`, 'm'));
    type Components = Record<string, object>;
    const [, yaml = ''] = /```yaml\n(receivers:\n.+?)```/s.exec(text) ?? [];
    const { service, ...components } = load(yaml) as Record<
      'receivers' | 'processors' | 'exporters',
      Components
    > & {
      receivers: { otlp: { protocols: { http: { endpoint: string } } } };
      service: { pipelines: { traces: Record<string, string[]> } };
    };
    expect(components.receivers.otlp.protocols.http.endpoint).toBe(`0.0.0.0:${port}`);
    for (const [kind, named] of Object.entries(service.pipelines.traces))
      expect(Object.keys(components[kind as 'exporters'])).toEqual(named);
    expect(Object.keys(service.pipelines.traces)).toEqual(Object.keys(components));
  });
});

describe('the map in docs/architecture.md', () => {
  const [, map = ''] =
    /^```\n(apps\/server.+?)^```$/ms.exec(readFileSync(path.join(root, 'docs/architecture.md'), 'utf8')) ??
    [];
  const words = new Set(map.match(/[\w-]+/g));
  const foldersIn = (folder: string) =>
    readdirSync(path.join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^\.|^node_modules$|^dist$/.test(entry.name))
      .map(({ name }) => name);

  test.each([
    'apps/server/src',
    'apps/server/src/features',
    'apps/server/src/features/attachments',
    'apps/server/src/features/invitations',
    'apps/server/src/features/people',
    'apps/server/src/features/auth',
    'apps/server/src/platform',
    'apps/web/src',
    'apps/web/src/lib',
    'apps/web/src/ui',
    'apps/web/src/ui/grid',
    'bench',
    'e2e',
    'packages',
    'tools',
  ])('names every folder in %s', (folder) => {
    expect(foldersIn(folder).filter((name) => !words.has(name))).toEqual([]);
  });

  test('names only existing folders, except "extensions", which a team creates', () => {
    const there = new Set(
      ['apps', 'bench', 'docs', 'deploy', 'e2e', 'packages', 'tools'].flatMap((folder) => [
        folder,
        ...readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
          path.basename(path.dirname(file)),
        ),
      ]),
    );
    const named = [...map.matchAll(/([\w-]+)\/(?=[\s,:;)(]|$)/gm)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => name !== 'extensions' && !there.has(name))).toEqual([]);
  });
});
