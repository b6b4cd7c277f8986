/** Client for the INSTREAM command of clamd over TCP (clamd(8), "COMMANDS"). */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { connect, type Socket } from 'node:net';

export type Verdict = { clean: true } | { clean: false; virus: string };

/** Reported for files over StreamMaxLength or a scan limit of clamd, which are not scanned completely. */
export const tooLargeToScan = 'Too large for the virus scanner';

/** Prefix of results for files over other limits, such as MaxFileSize, with `AlertExceedsMax` on (clamd.conf(5)). */
const limitsExceededPrefix = 'Heuristics.Limits.Exceeded';

const idleTimeoutMs = 60_000;
/** Time for the verdict after all bytes were sent. clamd scans a file for up to two minutes by default (MaxScanTime), longer if others wait. */
const verdictTimeoutMs = 300_000;
const maxResponseLength = 4096;

/** Scans a stream. Throws if clamd is unreachable, resets the connection or returns no verdict. */
export async function scanWithClamd(url: string, bytes: AsyncIterable<Uint8Array>): Promise<Verdict> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
  socket.setTimeout(idleTimeoutMs, () => socket.destroy(new Error('clamd does not respond')));
  // clamd may respond and close the connection before all bytes are sent.
  const response = readResponse(socket);
  response.catch(() => {});
  try {
    await write(socket, Buffer.from('zINSTREAM\0'));
    for await (const chunk of bytes) {
      if (chunk.length === 0) continue;
      const length = Buffer.alloc(4);
      length.writeUInt32BE(chunk.length);
      await write(socket, length);
      await write(socket, chunk);
      if (socket.readableEnded || socket.destroyed) break;
    }
    if (!socket.destroyed) await write(socket, Buffer.alloc(4));
    socket.setTimeout(verdictTimeoutMs);
  } catch (error) {
    // A verdict received before the write failed takes precedence over the error.
    return parseVerdict(await response.catch(() => Promise.reject(error as Error)));
  } finally {
    void response.finally(() => socket.destroy()).catch(() => {});
  }
  return parseVerdict(await response);
}

function parseVerdict(response: string): Verdict {
  if (response === 'stream: OK') return { clean: true };
  const [, virus] = /^stream: (.{1,200}) FOUND$/.exec(response) ?? [];
  if (virus !== undefined)
    return { clean: false, virus: virus.startsWith(limitsExceededPrefix) ? tooLargeToScan : virus };
  if (/size limit exceeded/i.test(response)) return { clean: false, virus: tooLargeToScan };
  throw new Error(`unexpected response from clamd: ${cutText(response, 200) || 'empty'}`);
}

const write = (socket: Socket, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });

const readResponse = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    let response = '';
    socket.on('data', (chunk: Buffer) => {
      response += chunk.toString('latin1');
      if (response.includes('\0') || response.length > maxResponseLength)
        resolve(response.split('\0')[0] ?? '');
    });
    socket.once('end', () => resolve(response.trim()));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('clamd closed the connection')));
  });
