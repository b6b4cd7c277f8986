import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import PostalMime, { type Email } from 'postal-mime';
import { createMail } from '../../startup/create-mail.ts';
import type { TestApp } from '../test-app.ts';

/** Sends a mail with the site's configuration and returns it as received by a mail server. */
export async function mailNow(t: Pick<TestApp, 'config' | 'database' | 'settings'>): Promise<Email> {
  const lines: string[] = [];
  // smtp-server rejects addresses of 254 characters.
  const server = createServer((socket) => {
    let isMail = false;
    socket.write('220 here\r\n');
    createInterface(socket).on('line', (line) => {
      if (isMail && line !== '.') return lines.push(line);
      isMail = line === 'DATA';
      return socket.write(isMail ? '354 Send the message\r\n' : '250 OK\r\n');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const closing: (() => unknown)[] = [() => new Promise<void>((resolve) => server.close(() => resolve()))];
  try {
    const smtpUrl = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { sendMail } = await createMail(
      { ...t, config: { ...t.config, smtpUrl }, logger: pino({ level: 'silent' }), tracer: undefined },
      (close) => closing.push(close),
    );
    const to = { name: '', address: 'recipient@example.com' };
    await sendMail({ to, subject: 'Hi', text: 'Hi', html: '' }, '<one@example.com>');
    return await PostalMime.parse(lines.join('\r\n'));
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}
