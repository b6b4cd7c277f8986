/**
 * Asks ClamAV's daemon about a file, by its INSTREAM command over TCP (clamd(8), "COMMANDS"): pieces with their length in
 * front, then a length of nought, then one line of answer.
 */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { connect, type Socket } from 'node:net';

export type Verdict = { clean: true } | { clean: false; virus: string };

/** What stands for a virus where a file is longer than clamd takes (StreamMaxLength) or looks at: nobody has looked at all of it. */
export const tooLargeToCheck = 'Too large for the virus scanner';

/** How clamd names what is beyond its other limits, such as MaxFileSize, when `AlertExceedsMax` is on (clamd.conf(5)). */
const beyondLimits = 'Heuristics.Limits.Exceeded';

const silenceMs = 60_000;
const longestAnswer = 4096;

/**
 * Rejects when clamd cannot be reached, says something else than a verdict, or resets the connection, which now and then
 * loses what it has said.
 */
export async function askClamd(url: string, bytes: AsyncIterable<Uint8Array>): Promise<Verdict> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
  socket.setTimeout(silenceMs, () => socket.destroy(new Error('clamd does not answer')));
  // clamd answers and hangs up in the middle of what it takes for too long.
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
    // What it said before counts more than that it no longer listens.
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
  throw new Error(`clamd said: ${cutText(answer, 200) || 'nothing'}`);
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
    socket.once('close', () => reject(new Error('clamd hung up')));
  });
}
