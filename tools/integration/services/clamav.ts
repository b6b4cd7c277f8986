/** Configuration of ClamAV's daemon with one signature: the EICAR test file. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** EICAR test file: harmless, but every scanner reports it. Split so that scanners ignore this source. */
export const eicar = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-', 'STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
);

/** Writes `clamd.conf` and the signature database. */
export function writeClamdConfig(
  directory: string,
  { host, port, signatures, more = [] }: { host: string; port: number; signatures?: string; more?: string[] },
): void {
  const written = path.join(directory, 'signatures');
  mkdirSync(written, { recursive: true });
  const digest = createHash('md5').update(eicar).digest('hex');
  writeFileSync(path.join(written, 'trial.hdb'), `${digest}:${eicar.length}:Eicar-Test-Signature\n`);
  writeFileSync(
    path.join(directory, 'clamd.conf'),
    [
      'Foreground yes',
      'User root',
      `TCPAddr ${host}`,
      `TCPSocket ${port}`,
      `DatabaseDirectory ${signatures ?? written}`,
      ...more,
    ].join('\n'),
  );
}
