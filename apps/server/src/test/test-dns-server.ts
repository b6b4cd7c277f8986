/** DNS server for tests (RFC 1035, section 4). */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** TXT records as lists of their parts. */
export type DnsAnswer = string[][] | 'no such name' | 'failure' | 'silence';

/** Starts a server that answers questions about TXT records. `address` includes the port. */
export async function startDnsServer(
  answerTo: (name: string) => DnsAnswer,
): Promise<{ address: string; close: () => Promise<void> }> {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    const labels: string[] = [];
    let end = 12;
    for (let length = question[end] ?? 0; length > 0; length = question[end] ?? 0) {
      labels.push(question.toString('latin1', end + 1, end + 1 + length));
      end += length + 1;
    }
    const response = answerTo(labels.join('.'));
    if (response === 'silence') return;
    const records = Array.isArray(response) ? response : [];
    const header = Buffer.from(question.subarray(0, 12));
    header[2] = 0x84;
    header[3] = response === 'no such name' ? 3 : response === 'failure' ? 2 : 0;
    header.writeUInt16BE(records.length, 6);
    header.writeUInt16BE(0, 10);
    const written = records.map((parts) => {
      const data = Buffer.concat(parts.map((part) => Buffer.from([part.length, ...Buffer.from(part)])));
      // Name by reference to the question, type TXT, class IN, no caching.
      const head = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, 0, 0]);
      head.writeUInt16BE(data.length, 10);
      return Buffer.concat([head, data]);
    });
    socket.send(Buffer.concat([header, question.subarray(12, end + 5), ...written]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
