/** Errors that prevent a server from starting (O4). Each is one sentence. */
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { expect, findOpenPorts, provider, secret, test } from './process-test.ts';
import { createDataDirectory, findFreePorts } from '../../packages/testing/src/start-server.ts';

test('a port in use prevents the start with a message that says what to do (O4)', async ({
  start,
  database,
}) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const taken = (other.address() as AddressInfo).port;
  try {
    const server = await start({
      ports: { ...(await findFreePorts()), web: taken },
      env: { DATABASE_URL: database.url, SECRET: secret, LOG_LEVEL: 'silent' },
    });
    expect(await server.exited).toBe(1);
    expect(server.output().trim()).toBe(
      `Port ${taken} is taken by another program. Stop that program, or set PORT to a free port.`,
    );
    expect(await findOpenPorts(server)).toEqual(['web']);
  } finally {
    other.close();
  }
});

test('a place where no directory can be prevents the start with a message (O4)', async ({
  start,
  database,
}) => {
  const server = await start({
    env: {
      ...provider,
      SMTP_URL: 'off',
      ADMIN_EMAIL: 'admin@contoso.com',
      DATABASE_URL: database.url,
      SECRET: secret,
      LOG_LEVEL: 'silent',
      DATA_DIR: '/proc/vestibule/data',
    },
  });
  expect(await server.exited).toBe(1);
  expect(server.output().trim()).toMatch(/^DATA_DIR cannot be created at [^\n]+$/);
});

test('with a public address the server refuses to start development components (O7, L5; security 68)', async ({
  start,
}) => {
  const dataDirectory = await createDataDirectory();
  const server = await start({ dataDirectory, env: { PUBLIC_URL: 'https://portal.example.com' } });
  expect(await server.exited).toBe(1);
  const [sentence, ...lines] = server.output().trimEnd().split('\n');
  expect(sentence).toBe('The configuration cannot be used. Correct these environment variables:');
  expect(lines.map((line) => /^ {2}(\w+): (?:is missing;|nothing says) /.exec(line)?.[1])).toEqual([
    'SIGN_IN_WITH',
    'SMTP_URL',
    'ADMIN_EMAIL',
  ]);
  expect(await findOpenPorts(server)).toEqual([]);
  expect(await readdir(server.dataDirectory)).toEqual([]);
});
