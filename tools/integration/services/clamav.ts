/** ClamAV's real daemon with signatures that are made here: they know EICAR's test file and nothing else. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** https://www.eicar.org: harmless, and a virus to every scanner. In two halves, so that none finds it here. */
export const eicar = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-', 'STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
);

/** Writes `clamd.conf`, and the signatures in a directory beside it. */
export function writeClamd(
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
