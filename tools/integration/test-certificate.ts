import path from 'node:path';
import { X509Certificate, createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { run } from './run-program.ts';

/** Paths of a certificate and the authority that signed it. `both` has certificate and key, `spki` is the hash that Chromium accepts. */
export type Certificate = { authority: string; certificate: string; key: string; both: string; spki: string };

export function createCertificate(directory: string, names: string[]): Certificate {
  const file = (name: string) => path.join(directory, name);
  const authority = file('authority.pem');
  const certificate = file('certificate.pem');
  const key = file('key.pem');
  const alternatives = names.map((name) => (/^[\d.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`)).join(',');
  const authorityKey = file('authority.key');
  const make = (name: string, parameters: string) =>
    run('openssl', [
      ...`req -x509 -newkey rsa:2048 -nodes -days 2 ${parameters}`.split(' '),
      '-subj',
      `/CN=${name}`,
    ]);
  make('authority', `-keyout ${authorityKey} -out ${authority}`);
  make(
    names[0] ?? '',
    `-CA ${authority} -CAkey ${authorityKey} -keyout ${key} -out ${certificate} -addext subjectAltName=${alternatives} -addext basicConstraints=critical,CA:false`,
  );
  const both = file('both.pem');
  writeFileSync(both, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'), { mode: 0o600 });
  const publicKey = new X509Certificate(readFileSync(certificate)).publicKey.export({
    type: 'spki',
    format: 'der',
  });
  return { authority, certificate, key, both, spki: createHash('sha256').update(publicKey).digest('base64') };
}
