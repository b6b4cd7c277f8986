/**
 * Measures attachments: upload and download speed compared with bare Fastify on the same disk, server memory during concurrent
 * uploads, and the list with one file per person.
 */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  linkToAttachments,
  listAttachments,
  sharingModes,
  uploadsPath,
} from '@vestibule/contract/attachments';
import type { RouteRequest } from '@vestibule/contract/route';
import { createDataDirectory, removeDataDirectory } from '../../e2e/fixtures/start-server.ts';
import { root, startChild } from '../harness/child-process.ts';
import { median, type Figure } from '../report/figure.ts';
import { flushFiles, reserveMemory } from '../harness/prepare-machine.ts';
import { measureMedianMs } from '../harness/http-load.ts';
import { isTrial, options } from '../report/options.ts';
import { seededSubject } from '../harness/seed-people.ts';
import { runOnBenchSite, type BenchSite } from '../harness/bench-site.ts';
import { fillWithoutIndexes } from '../harness/fill-without-indexes.ts';

type Query = RouteRequest<typeof listAttachments>['query'];

const megabyte = 1024 * 1024;
const fileMegabytes = isTrial ? 64 : 1024;
const rounds = 5;
const concurrentUploads = { files: isTrial ? 8 : 64, megabytes: isTrial ? 16 : 100 };
const chunk = randomBytes(megabyte);

export async function measureAttachments(site: BenchSite): Promise<Figure[]> {
  return [
    ...(await measureTransfer(site)),
    ...(await measureConcurrentUploads(site)),
    ...(await measureList(site)),
  ];
}

async function measureTransfer(site: BenchSite): Promise<Figure[]> {
  const directory = await createDataDirectory();
  const baselineServer = await startChild(
    process.execPath,
    [path.join(root, 'bench/harness/file-baseline-server.ts'), directory],
    {
      ready: /http:\S+/,
    },
  );
  const baselineUrl = baselineServer.match[0];
  try {
    const speeds = {
      up: [] as number[],
      baselineUp: [] as number[],
      down: [] as number[],
      baselineDown: [] as number[],
    };
    // Server and baseline alternate, so that other load affects both. Pending writes are flushed before each, so that neither pays
    // for the other.
    const prepare = async () => {
      await flushFiles();
      await reserveMemory(directory, fileMegabytes);
    };
    for (let round = 0; round < rounds; round += 1) {
      await prepare();
      speeds.baselineUp.push(
        await measureSpeed(() =>
          send(
            `${baselineUrl}/upload/${round}`,
            'PUT',
            { 'content-type': 'application/octet-stream' },
            fileMegabytes,
          ),
        ),
      );
      await prepare();
      let id = '';
      speeds.up.push(
        await measureSpeed(async () => {
          id = await upload(site, fileMegabytes);
        }),
      );
      speeds.baselineDown.push(await measureSpeed(() => download(`${baselineUrl}/${round}`)));
      const address = await createDownloadLink(site, id);
      speeds.down.push(await measureSpeed(() => download(address)));
    }
    const up = median(speeds.up);
    const down = median(speeds.down);
    const baselineUp = median(speeds.baselineUp);
    const baselineDown = median(speeds.baselineDown);
    return [
      {
        name: `upload of ${fileMegabytes} MB, of what a plain stream to a file does`,
        measured: (up / baselineUp) * 100,
        unit: '%',
        limit: { at: 'least', value: 60 },
        baseline: `${Math.round(up)} of ${Math.round(baselineUp)} MB/s`,
      },
      {
        name: `download of ${fileMegabytes} MB, of what a static file does`,
        measured: (down / baselineDown) * 100,
        unit: '%',
        limit: { at: 'least', value: 80 },
        baseline: `${Math.round(down)} of ${Math.round(baselineDown)} MB/s`,
      },
    ];
  } finally {
    await baselineServer.stop();
    await removeDataDirectory(directory);
  }
}

async function measureConcurrentUploads(site: BenchSite): Promise<Figure[]> {
  const { memory } = site;
  const peakSoFar = memory.peak;
  memory.peak = 0;
  await delay(1_000);
  const before = memory.peak;
  await Promise.all(
    Array.from({ length: concurrentUploads.files }, () => upload(site, concurrentUploads.megabytes)),
  );
  await delay(300);
  const growth = memory.peak - before;
  memory.peak = Math.max(memory.peak, peakSoFar);
  return [
    {
      name: `the server's memory with ${concurrentUploads.files} uploads of ${concurrentUploads.megabytes} MB at once, growth`,
      measured: growth,
      unit: 'MB',
      limit: { at: 'most', value: 50 },
    },
  ];
}

async function measureList({ url, tokens, provider, database }: BenchSite): Promise<Figure[]> {
  await seedAttachments(database, options.people);
  const list = async (query: Query, token = tokens[0]) => {
    const answer = await fetch(
      `${url}${listAttachments.path}?${new URLSearchParams(query as Record<string, string>).toString()}`,
      { headers: { authorization: `Bearer ${token}` } },
    );
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { total: number | null };
  };
  const member = await provider.issueToken({ sub: seededSubject(150) });
  const far = Math.floor(options.people * 0.9);
  // The total is cached per caller, so each call uses another token.
  const countingMs = await measureMedianMs(10, (index) => list({}, tokens[index + 1]));
  const figure = (name: string, measured: number, limit: number): Figure => ({
    name: `attachments, ${name}`,
    measured,
    unit: 'ms',
    limit: { at: 'most', value: limit },
  });
  const slowestSort = { name: '', milliseconds: 0 };
  for (const sort of [
    'name',
    'type',
    'kind',
    'size',
    'ownerName',
    'sharing',
    'createdAt',
    'status',
  ] as const) {
    const milliseconds = await measureMedianMs(20, () => list({ sort, offset: 1 }));
    if (milliseconds > slowestSort.milliseconds) Object.assign(slowestSort, { name: sort, milliseconds });
  }
  return [
    figure('first page while the total is counted', countingMs, 200),
    figure('first page with total', await measureMedianMs(50, () => list({})), 15),
    figure(`the slowest sort (${slowestSort.name})`, slowestSort.milliseconds, 60),
    figure(
      'contains a rare text',
      await measureMedianMs(20, (index) => list({ search: `${index * 37 + 42}.pdf` })),
      60,
    ),
    figure(
      'two letters typed, first rows',
      await measureMedianMs(20, () => list({ search: 'pd', part: 'rows' })),
      150,
    ),
    figure(
      `offset ${far.toLocaleString('en-US')}`,
      await measureMedianMs(10, () => list({ offset: far })),
      150,
    ),
    // Members see only their own files and files shared with everyone.
    figure('first page of what a member sees', await measureMedianMs(20, () => list({}, member)), 60),
  ];
}

async function seedAttachments(database: BenchSite['database'], count: number): Promise<void> {
  await fillWithoutIndexes(database, 'attachments', (client) =>
    client.query(
      `insert into attachments (id, owner_id, owner_name, owner_email, name, type, kind, size, sha256, sharing, status, created_at, verified_at)
       select uuidv7(make_interval(mins => n::int - $1)), id, display_name, email, 'report ' || n || '.pdf',
              (array['application/pdf', 'image/png', 'text/plain', 'application/zip'])[1 + n % 4],
              (array['pdf', 'picture', 'text', 'other'])[1 + n % 4], n * 7919 % 10000000, sha256(n::text::bytea),
              case when n % 10 = 0 then 'everyone' else $2::text end, 'ready',
              now() - make_interval(mins => $1 - n::int), now()
       from (select row_number() over (order by id) as n, id, display_name, email from people) as numbered`,
      [count, sharingModes.private],
    ),
  );
}

async function measureSpeed(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action();
  return fileMegabytes / ((performance.now() - startedAt) / 1000);
}

function send(
  address: string,
  method: string,
  headers: Record<string, string>,
  megabytes: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(address, {
      method,
      headers: { ...headers, 'content-length': String(megabytes * megabyte) },
    });
    sent.once('response', (answer) => {
      answer.resume();
      answer.once('end', () =>
        (answer.statusCode ?? 500) < 300
          ? resolve()
          : reject(new Error(`${method} ${address}: ${answer.statusCode}`)),
      );
    });
    const pieces = Readable.from(
      (function* () {
        for (let index = 0; index < megabytes; index += 1) yield chunk;
      })(),
      { objectMode: true },
    );
    pipeline(pieces, sent).catch(reject);
  });
}

async function upload({ url, tokens }: BenchSite, megabytes: number): Promise<string> {
  const headers = { authorization: `Bearer ${tokens[0]}`, 'tus-resumable': '1.0.0' };
  const created = await fetch(`${url}${uploadsPath}`, {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': String(megabytes * megabyte),
      'upload-metadata': `name ${Buffer.from('bench.bin').toString('base64')}`,
    },
  });
  const location = created.headers.get('location');
  if (location === null) throw new Error(await created.text());
  await send(
    `${url}${location}`,
    'PATCH',
    { ...headers, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
    megabytes,
  );
  return location.split('/').at(-1) as string;
}

async function createDownloadLink({ url, tokens }: BenchSite, id: string): Promise<string> {
  const answer = await fetch(`${url}${linkToAttachments.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens[0]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ attachmentIds: [id], purpose: 'download' }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return `${url}${((await answer.json()) as { path: string }).path}`;
}

function download(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request(address, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`${address}: ${answer.statusCode}`));
      answer.resume();
      answer.once('end', resolve);
    })
      .once('error', reject)
      .end();
  });
}

if (import.meta.main) await runOnBenchSite(measureAttachments);
