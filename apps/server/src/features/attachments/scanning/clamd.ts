/**
 * Client for the INSTREAM command of clamd over TCP (clamd(8), "COMMANDS"): length-prefixed chunks, a zero length,
 * then one line as the response.
 */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { connect, type Socket } from 'node:net';

export type Verdict = { clean: true } | { clean: false; virus: string };

/**
 * Virus name reported for files that exceed StreamMaxLength or a scan limit of clamd: they were not scanned
 * completely.
 */
export const tooLargeToCheck = 'Too large for the virus scanner';

/** Prefix of results for files over other limits, such as MaxFileSize, with `AlertExceedsMax` on (clamd.conf(5)). */
const beyondLimits = 'Heuristics.Limits.Exceeded';

const silenceMs = 60_000;
const longestAnswer = 4096;

/** Scans a stream. Throws if clamd is unreachable, resets the connection or returns no verdict. */
export async function askClamd(url: string, bytes: AsyncIterable<Uint8Array>): Promise<Verdict> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
  socket.setTimeout(silenceMs, () => socket.destroy(new Error('clamd does not respond')));
  // clamd may respond and close the connection before all bytes are sent.
  const answered = readAnswer(socket);
  answered.catch(() => {});
  try {
    await write(socket, Buffer.from('zINSTREAM\0'));
    for await (const piece of bytes) {
      if (piece.length === 0) continue;
      const length = Buffer.alloc(4);
      length.writeUInt32BE(piece.length);
      await write(socket, length);
      await write(socket, piece);
      if (socket.readableEnded || socket.destroyed) break;
    }
    if (!socket.destroyed) await write(socket, Buffer.alloc(4));
  } catch (error) {
    // A verdict received before the write failed takes precedence over the error.
    return verdictOf(await answered.catch(() => Promise.reject(error as Error)));
  } finally {
    void answered.finally(() => socket.destroy()).catch(() => {});
  }
  return verdictOf(await answered);
}

function verdictOf(answer: string): Verdict {
  if (answer === 'stream: OK') return { clean: true };
  const [, virus] = /^stream: (.{1,200}) FOUND$/.exec(answer) ?? [];
  if (virus !== undefined)
    return { clean: false, virus: virus.startsWith(beyondLimits) ? tooLargeToCheck : virus };
  if (/size limit exceeded/i.test(answer)) return { clean: false, virus: tooLargeToCheck };
  throw new Error(`unexpected response from clamd: ${cutText(answer, 200) || 'empty'}`);
}

function write(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

function readAnswer(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (answer.includes('\0') || answer.length > longestAnswer) resolve(answer.split('\0')[0] ?? '');
    });
    socket.once('end', () => resolve(answer.trim()));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('clamd closed the connection')));
  });
}
