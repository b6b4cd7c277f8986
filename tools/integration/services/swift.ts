/**
 * OpenStack Swift with its S3 API (apt-get install swift-proxy swift-account swift-container swift-object): one device, one
 * replica, run as root.
 */
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run } from '../run-program.ts';

export const region = 'us-east-1';
export const swiftParts = ['object', 'container', 'account', 'proxy'] as const;
export type SwiftPart = (typeof swiftParts)[number];

type SwiftPlace = {
  ports: Record<SwiftPart, number>;
  /** Address of the proxy; the other parts listen on localhost. */
  host: string;
  /** Directory that the servers read, if another one than the files are written to. */
  at?: string;
  devices: string;
  keyId: string;
  key: string;
};

/** Writes the configuration of each part (`object.conf` and so on) and the rings. */
export function writeSwiftConfig(directory: string, { at = directory, ...place }: SwiftPlace): void {
  const { ports, devices, keyId, key } = place;
  mkdirSync(directory, { recursive: true });
  const write = (part: SwiftPart, host: string, lines: string[]) =>
    writeFileSync(
      path.join(directory, `${part}.conf`),
      [
        '[DEFAULT]',
        `bind_port = ${ports[part]}`,
        `bind_ip = ${host}`,
        `swift_dir = ${at}`,
        `devices = ${devices}`,
        'mount_check = false',
        'user = root',
        'workers = 0',
        'log_address = /dev/null',
        ...lines,
      ].join('\n'),
    );
  for (const part of ['object', 'container', 'account'] as const) {
    const ring = (words: string) =>
      run('swift-ring-builder', [path.join(directory, `${part}.builder`), ...words.split(' ')]);
    ring('create 4 1 1');
    ring(`add --region 1 --zone 1 --ip 127.0.0.1 --port ${ports[part]} --device d1 --weight 1`);
    ring('rebalance');
    write(part, '127.0.0.1', [
      '[pipeline:main]',
      `pipeline = ${part}-server`,
      `[app:${part}-server]`,
      `use = egg:swift#${part}`,
    ]);
  }
  const filters = ['catch_errors', 'cache', 's3api', 'tempauth', 'slo', 'dlo'];
  write('proxy', place.host, [
    '[pipeline:main]',
    `pipeline = ${filters.join(' ')} proxy-server`,
    ...filters.flatMap((filter) => [
      `[filter:${filter}]`,
      `use = egg:swift#${filter === 'cache' ? 'memcache' : filter}`,
      ...(filter === 'tempauth' ? [`user_${keyId.replace(':', '_')} = ${key} .admin`] : []),
      ...(filter === 's3api' ? [`location = ${region}`, 'min_segment_size = 5242880'] : []),
    ]),
    '[app:proxy-server]',
    'use = egg:swift#proxy',
    'account_autocreate = true',
  ]);
}

/** Sends a request signed with AWS Signature Version 4: PUT creates the bucket, GET lists it. */
export async function sendS3Request(
  origin: string,
  { keyId, key }: { keyId: string; key: string },
  method: 'PUT' | 'GET',
  bucket: string,
): Promise<string> {
  const { host } = new URL(origin);
  const moment = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${moment.slice(0, 8)}/${region}/s3/aws4_request`;
  const nothing = createHash('sha256').digest('hex');
  const headers = `host:${host}\nx-amz-content-sha256:${nothing}\nx-amz-date:${moment}\n`;
  const names = 'host;x-amz-content-sha256;x-amz-date';
  const asked = createHash('sha256')
    .update(`${method}\n/${bucket}\n\n${headers}\n${names}\n${nothing}`)
    .digest('hex');
  const signingKey = scope
    .split('/')
    .reduce<Buffer>(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      Buffer.from(`AWS4${key}`),
    );
  const signature = createHmac('sha256', signingKey)
    .update(`AWS4-HMAC-SHA256\n${moment}\n${scope}\n${asked}`)
    .digest('hex');
  const answer = await fetch(`${origin}/${bucket}`, {
    method,
    headers: {
      'x-amz-date': moment,
      'x-amz-content-sha256': nothing,
      authorization: `AWS4-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    },
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return text;
}
