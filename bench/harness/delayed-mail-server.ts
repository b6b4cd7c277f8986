/** Mail server with 20 ms latency per command, as in another data center. Discards all mails. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

const latencyMs = 20;

export async function startDelayedMailServer(): Promise<{ smtpUrl: string; close(): Promise<void> }> {
  const afterLatency = (callback: () => void) => void setTimeout(callback, latencyMs);
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onMailFrom: (_address, _session, callback) => afterLatency(() => callback()),
    onRcptTo: (_address, _session, callback) => afterLatency(() => callback()),
    onData(stream, _session, callback) {
      stream.on('end', () => afterLatency(() => callback())).resume();
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    smtpUrl: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
