import { Writable } from 'node:stream';

/** Of pino. */
const errorLevel = 50;
// oxlint-disable-next-line no-console -- the output of tests
const defaultReport: (text: string) => void = import.meta.dirname.includes('node_modules')
  ? console.error
  : () => {};

/** Returns a stream that adds the lines of a log to `lines` and reports errors. */
export function collectLog(lines: string[], reportError = defaultReport): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const line = chunk.toString();
      lines.push(line);
      const { level, msg, err } = JSON.parse(line) as { level: number; msg: string; err?: { stack: string } };
      if (level >= errorLevel) reportError(`${msg}\n${err?.stack ?? line}`);
      done();
    },
  });
}
