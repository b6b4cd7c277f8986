/** Uploads 5 GB through a proxy and directly, and checks that the proxy buffers nothing in memory or on disk. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Figure } from '../../../bench/report/figure.ts';
import type { ProxyKind } from '../start-proxy.ts';
import type { SendRequest, SiteBehindProxy } from './site.ts';
import { sha256OfUpload, upload, type Progress } from './tus-upload.ts';

/** Default of ATTACHMENT_FILE_LIMIT_MB. */
const fileBytes = 5 * 2 ** 30;
const sampleIntervalMs = 200;
const maxMemoryBytes = 64e6;

const filesBelow = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function memoryOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  const [, own = '0'] = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(own) * 1024 + children.reduce((sum, child) => sum + memoryOf(Number(child)), 0);
}

/** Returns MB/s. Calls `sample` periodically during the upload. */
async function time(site: SiteBehindProxy, callers: SendRequest[], sample: () => void): Promise<number> {
  const progress: Progress = { id: '', pieces: 0, interrupted: 0 };
  const sampling = setInterval(sample, sampleIntervalMs);
  const startedAt = performance.now();
  const id = await upload(callers, { size: fileBytes, name: 'large.bin' }, progress).finally(() =>
    clearInterval(sampling),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  assert.equal(progress.interrupted, 0);
  const { rows } = await site.database.query<{ sha256: string }>(
    `select encode(sha256, 'hex') as sha256 from attachments where id = $1`,
    [id],
  );
  assert.equal(rows[0]?.sha256, sha256OfUpload(fileBytes));
  for (const file of filesBelow(site.attachments)) if (file.includes(id)) rmSync(file);
  return fileBytes / 1e6 / seconds;
}

export async function measureLargeUpload(kind: ProxyKind, site: SiteBehindProxy): Promise<Figure[]> {
  const maxima = { memory: 0, onDisk: 0 };
  const filesBefore = filesBelow(site.proxyDirectory).reduce((sum, file) => sum + sizeOf(file), 0);
  const memoryBefore = memoryOf(site.proxy.pid);
  const direct = await time(site, site.sendDirectly, () => {});
  const speed = await time(site, [site.send], () => {
    maxima.memory = Math.max(maxima.memory, memoryOf(site.proxy.pid) - memoryBefore);
    const onDisk = filesBelow(site.proxyDirectory).reduce((sum, file) => sum + sizeOf(file), 0);
    maxima.onDisk = Math.max(maxima.onDisk, onDisk - filesBefore);
  });
  const inMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  assert.ok(maxima.memory < maxMemoryBytes, `the proxy took ${inMegabytes(maxima.memory)}`);
  assert.ok(maxima.onDisk < 1e6, `the proxy wrote ${inMegabytes(maxima.onDisk)}`);
  return [
    {
      name: `${kind}: upload of 5 GB`,
      measured: speed,
      unit: 'MB/s',
      note: `the proxy's memory grew by ${inMegabytes(maxima.memory)}, and nothing was on its disk`,
      baseline: `without a proxy: ${Math.round(direct)} MB/s`,
    },
  ];
}
