/** Tests uploads through two processes while connections break and processes are killed: every completed file has the original SHA-256. */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { linkToAttachments, uploadsPath } from '@vestibule/contract/attachments';
import type { Site } from '../harness/site.ts';
import { failures, type Figure } from '../report.ts';

const people = 8;
const timeoutMs = 60_000;

type File = { name: string; bytes: Uint8Array<ArrayBuffer> };
type Uploaded = { token: string; id: string; sha256: string };

/** Eight people upload files until the processes have been killed `times` times, alternately. */
export async function uploadUnderKills(site: Site, times: number): Promise<Figure[]> {
  const servers = [await site.start(0), await site.start(1)];
  const tokens = await Promise.all(
    Array.from({ length: people }, (_, person) => site.join(`uploads.${person}@example.com`)),
  );
  const finished: Uploaded[] = [];
  const counts = { created: 0, lost: 0, disconnected: 0, resumed: 0, changed: 0 };
  const killing = { over: false };
  const all = Promise.all(
    tokens.map(async (token) => {
      while (!killing.over) {
        counts.created += 1;
        const bytes = randomBytes(500_000 + Math.floor(Math.random() * 2_500_000));
        const file = { name: `file ${counts.created}`, bytes };
        const uploaded = await uploadOne(site.urls, token, file, counts);
        if (uploaded) finished.push(uploaded);
        else counts.lost += 1;
      }
    }),
  );
  for (let kill = 0; kill < times; kill += 1) {
    const which = (kill % 2) as 0 | 1;
    await delay(200 + Math.random() * 600);
    await servers[which]?.stop('SIGKILL');
    servers[which] = await site.start(which);
  }
  killing.over = true;
  await all;
  let different = 0;
  for (const [at, one] of finished.entries())
    if ((await download(site.urls[at % 2] as string, one)) !== one.sha256) different += 1;
  const { rows } = await site.database.query<{ count: number }>(
    `select count(*)::int from attachments where name like 'file %'`,
  );
  await Promise.all(servers.map((server) => server.stop()));
  return [
    failures(
      `${counts.created} uploads through two processes under ${times} kills and ${counts.disconnected} disconnections, ${counts.changed} requests to another process than before, resumed ${counts.resumed} times: not finished`,
      counts.lost,
    ),
    failures('… with another SHA-256', different),
    failures('… files too many or too few', Math.abs((rows[0]?.count ?? 0) - counts.created)),
  ];
}

/** Uploads one file in parts to alternating servers. After an error, resumes at the offset that the server reports, as browsers do. */
async function uploadOne(
  servers: readonly string[],
  token: string,
  { name, bytes }: File,
  counts: { disconnected: number; resumed: number; changed: number },
): Promise<Uploaded | null> {
  const headers = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' };
  const deadline = performance.now() + timeoutMs;
  let location: string | null = null;
  let offset = 0;
  let turn = Math.floor(Math.random() * servers.length);
  let last: string | undefined;
  while (performance.now() < deadline) {
    const server = servers[turn % servers.length] as string;
    turn += 1;
    try {
      if (location === null) {
        const created = await fetch(server + uploadsPath, {
          method: 'POST',
          headers: {
            ...headers,
            'upload-length': String(bytes.length),
            'upload-metadata': `name ${btoa(name)}`,
          },
        });
        location = created.headers.get('location');
        await created.arrayBuffer();
        continue;
      }
      if (offset === bytes.length)
        return { token, id: location.split('/').at(-1) as string, sha256: sha256Of(bytes) };
      const aborted = new AbortController();
      const end = Math.min(bytes.length, offset + 400_000);
      const cut = Math.random() < 0.1;
      if (cut) setTimeout(() => aborted.abort(), Math.random() * 10);
      if (cut) counts.disconnected += 1;
      const sent = await fetch(server + location, {
        method: 'PATCH',
        headers: {
          ...headers,
          'content-type': 'application/offset+octet-stream',
          'upload-offset': String(offset),
        },
        body: bytes.subarray(offset, end),
        signal: aborted.signal,
      });
      await sent.arrayBuffer();
      if (sent.status !== 204) throw new Error(`${sent.status}`);
      offset = end;
      if (last !== undefined && last !== server) counts.changed += 1;
      last = server;
    } catch {
      counts.resumed += 1;
      await delay(50);
      offset = (await readOffset(servers[turn % servers.length] as string, location, headers)) ?? offset;
    }
  }
  return null;
}

async function readOffset(
  server: string,
  location: string | null,
  headers: Record<string, string>,
): Promise<number | null> {
  if (location === null) return null;
  try {
    const response = await fetch(server + location, { method: 'HEAD', headers });
    const offset = response.headers.get('upload-offset');
    return offset === null ? null : Number(offset);
  } catch {
    return null;
  }
}

async function download(server: string, { token, id }: Uploaded): Promise<string> {
  const linked = await fetch(server + linkToAttachments.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ attachmentIds: [id], purpose: 'download' }),
  });
  const { path } = (await linked.json()) as { path?: string };
  if (path === undefined) return `no link: ${linked.status}`;
  const response = await fetch(server + path);
  return response.ok ? sha256Of(Buffer.from(await response.arrayBuffer())) : `${response.status}`;
}

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
