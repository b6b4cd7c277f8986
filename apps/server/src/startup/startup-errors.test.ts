import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { StartUpError } from '../platform/config/start-up-error.ts';
import { importDevelopmentService, requireNodeVersion, waitUntilListening } from './startup-errors.ts';

test('importDevelopmentService throws a StartUpError if the part is not installed, and rethrows other errors (O5)', async () => {
  const missingPackage = '@vestibule/not-installed';
  const missing = importDevelopmentService(() => import(missingPackage), 'Set SMTP_URL.').catch(
    (error: unknown) => error,
  );
  expect(await missing).toEqual(new StartUpError('Set SMTP_URL.'));
  const broken = importDevelopmentService(() => Promise.reject(new SyntaxError('broken')), 'Set SMTP_URL.');
  await expect(broken).rejects.toThrow('broken');
  expect(await importDevelopmentService(async () => 'the part', 'Set SMTP_URL.')).toBe('the part');
});

test('waitUntilListening names the variable of the port that is in use (O5)', async () => {
  await using server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const second = createServer().listen(port, '127.0.0.1');
  const starting = waitUntilListening(once(second, 'listening'), {
    MAILBOX_SMTP_PORT: 1,
    MAILBOX_PORT: port,
  });
  await expect(starting).rejects.toEqual(
    new StartUpError(
      `Port ${port} is taken by another program. Stop that program, or set MAILBOX_PORT to a free port.`,
    ),
  );
});

test('waitUntilListening names the variable of a host that is not an address of this machine (O5)', async () => {
  const server = createServer().listen(0, '192.0.2.1');
  const starting = waitUntilListening(once(server, 'listening'), { PORT: 1 });
  await expect(starting).rejects.toThrow(/^HOST is not an address of this machine\./);
});

test('a Node.js that is too old is refused with both versions (O5)', () => {
  expect(() => requireNodeVersion('20.20.2')).toThrow(
    'Vestibule needs Node.js 24 or newer, and this is 20.20.2.',
  );
  expect(() => requireNodeVersion()).not.toThrow();
});
