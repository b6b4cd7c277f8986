/** Measures uploads and downloads compared with plain streams on the same disk, and server memory during concurrent uploads. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { linkToAttachments, uploadsPath } from '@vestibule/contract/attachments';
import { createDataDirectory, removeDataDirectory } from '../../packages/testing/src/start-server.ts';
import { measureGrowth, type LoadedSite } from '../harness/site.ts';
import { isTrial } from '../options.ts';
import { atLeast, atMost, figure, median, type Figure } from '../report.ts';

const megabyte = 1024 * 1024;
const fileMegabytes = isTrial ? 64 : 1024;
const rounds = isTrial ? 1 : 5;
const concurrent = isTrial ? { files: 8, megabytes: 16 } : { files: 64, megabytes: 100 };
const chunk = randomBytes(megabyte);

export async function measureAttachments(site: LoadedSite): Promise<Figure[]> {
  const directory = await createDataDirectory();
  const plainUrl = `${site.ceilingUrl}/files?file=${encodeURIComponent(path.join(directory, 'file'))}`;
  const speeds = {
    up: [] as number[],
    plainUp: [] as number[],
    down: [] as number[],
    plainDown: [] as number[],
  };
  try {
    for (let round = 0; round < rounds; round += 1) {
      speeds.plainUp.push(await measureSpeed(() => transfer(plainUrl, 'PUT', {}, fileMegabytes)));
      let id = '';
      speeds.up.push(await measureSpeed(async () => (id = await upload(site, fileMegabytes))));
      speeds.plainDown.push(await measureSpeed(() => transfer(plainUrl)));
      const url = await createDownloadLink(site, id);
      speeds.down.push(await measureSpeed(() => transfer(url)));
    }
  } finally {
    await removeDataDirectory(directory);
  }
  const growth = await measureGrowth(site, () =>
    Promise.all(Array.from({ length: concurrent.files }, () => upload(site, concurrent.megabytes))),
  );
  const share = (direction: string, measured: number[], plain: number[], least: number) =>
    figure(
      `${direction} of ${fileMegabytes} MB, relative to a plain stream`,
      (median(measured) / median(plain)) * 100,
      '%',
      atLeast(least),
      { ceiling: `${Math.round(median(measured))} of ${Math.round(median(plain))} MB/s` },
    );
  return [
    share('upload', speeds.up, speeds.plainUp, 60),
    share('download', speeds.down, speeds.plainDown, 80),
    figure(
      `the server's memory with ${concurrent.files} uploads of ${concurrent.megabytes} MB at once, growth`,
      growth,
      'MB',
      atMost(50),
    ),
  ];
}

/** Returns MB/s. Writes pending data to disk first, so that the writes of one measurement do not slow the next. */
async function measureSpeed(action: () => Promise<unknown>): Promise<number> {
  execFileSync('sync');
  const startedAt = performance.now();
  await action();
  return fileMegabytes / ((performance.now() - startedAt) / 1000);
}

/** Sends `megabytes` and discards the response. Throws unless the response is successful. */
async function transfer(url: string, method = 'GET', headers: Record<string, string> = {}, megabytes = 0) {
  const sent = request(url, {
    method,
    headers: {
      ...(megabytes > 0 && { 'content-type': 'application/octet-stream' }),
      ...headers,
      'content-length': String(megabytes * megabyte),
    },
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  await pipeline(Readable.from(Array.from({ length: megabytes }, () => chunk)), sent);
  const [response] = await answered;
  await once(response.resume(), 'end');
  if ((response.statusCode ?? 500) >= 300) throw new Error(`${method} ${url}: ${response.statusCode}`);
}

async function upload({ url, tokens }: LoadedSite, megabytes: number): Promise<string> {
  const headers = { authorization: `Bearer ${tokens[0]}`, 'tus-resumable': '1.0.0' };
  const created = await fetch(url + uploadsPath, {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': String(megabytes * megabyte),
      'upload-metadata': `name ${btoa('bench.bin')}`,
    },
  });
  const location = created.headers.get('location');
  if (location === null) throw new Error(await created.text());
  const type = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
  await transfer(url + location, 'PATCH', { ...headers, ...type }, megabytes);
  return location.split('/').at(-1) ?? '';
}

async function createDownloadLink({ url, tokens }: LoadedSite, id: string): Promise<string> {
  const response = await fetch(url + linkToAttachments.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens[0]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ attachmentIds: [id], purpose: 'download' }),
  });
  if (!response.ok) throw new Error(await response.text());
  return url + ((await response.json()) as { path: string }).path;
}
