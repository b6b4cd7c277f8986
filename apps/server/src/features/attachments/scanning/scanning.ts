/** Scans new files before other users can see them. Failed scans are retried. */
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { serverOrigin } from '../../../platform/audit/audit-log.ts';
import { rawSql, rowOf, rowsOf, type Database } from '../../../platform/database/database.ts';
import { attachmentAudit } from '../files/attachment-changes.ts';
import type { Verdict } from './clamd.ts';
import type { FileStorage } from '../../../platform/storage/storage.ts';

export type Scanning = ReturnType<typeof createScanning>;

/** Maximum number of concurrent scans per process; clamd has few threads. */
const maxConcurrentScans = 2;
const batchSize = 100;
const scanner = { caller: null, origin: serverOrigin('scanner') };

type Deps = {
  database: Database;
  storage: FileStorage;
  scan: (bytes: AsyncIterable<Uint8Array>) => Promise<Verdict>;
  logger: Pick<Logger, 'error'>;
};

export function createScanning(deps: Deps) {
  const { database, storage, logger } = deps;
  const running = new Map<string, Promise<void>>();
  const waiting: string[] = [];

  function start(): void {
    while (running.size < maxConcurrentScans) {
      const id = waiting.shift();
      if (id === undefined) return;
      if (running.has(id)) continue;
      const scan = scanFile(id)
        .catch((error: unknown) => logger.error({ err: error }, 'a file could not be scanned for viruses'))
        .finally(() => {
          running.delete(id);
          start();
        });
      running.set(id, scan);
    }
  }

  async function scanFile(id: string): Promise<void> {
    const file = await rowOf<{ sha256: Buffer }>(database)`
      select sha256 from attachments where id = ${id} and status = 'scanning'`;
    if (!file) return;
    const bytes = await storage.read(id);
    if (!bytes) return markMissing(id, 'is gone from the storage');
    const hash = createHash('sha256');
    async function* readWithHash() {
      for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
        hash.update(chunk);
        yield chunk;
      }
    }
    try {
      const verdict = await deps.scan(readWithHash());
      // A clean verdict counts only if the scanned bytes have the stored hash.
      if (verdict.clean && !hash.digest().equals(file.sha256))
        return await markMissing(id, 'is damaged: its SHA-256 differs');
      if (verdict.clean) return void (await setStatus(id, 'ready', null));
      await setStatus(id, 'quarantined', verdict.virus);
    } finally {
      bytes.destroy();
    }
  }

  /** Logs an alert: the file has to be restored from a backup. */
  async function markMissing(id: string, problem: string): Promise<void> {
    if (await setStatus(id, 'missing', null))
      logger.error({ attachment: id, alert: 'attachment_damaged' }, `the file ${id} ${problem}`);
  }

  /** Returns false if the file is no longer waiting for its scan. */
  function setStatus(
    id: string,
    status: 'ready' | 'missing' | 'quarantined',
    virus: string | null,
  ): Promise<boolean> {
    return database.transaction(async (transaction) => {
      const file = await rowOf<{ name: string; owner_email: string }>(transaction)`
        update attachments set status = ${status}, virus = ${virus}, version = version + 1
        where id = ${id} and status = 'scanning' returning name, owner_email`;
      if (!file || status !== 'quarantined') return file !== null;
      const detail = { virus, owner: file.owner_email };
      await attachmentAudit.record(transaction, { ...file, id }, 'attachment.quarantined', scanner, detail);
      return true;
    });
  }

  async function waitUntilIdle(): Promise<void> {
    while (running.size > 0) await Promise.all(running.values());
  }

  return {
    waitUntilIdle,

    check(id: string): void {
      waiting.push(id);
      start();
    },

    /** Scans all waiting files, oldest first, including those of other processes. */
    async checkAll(): Promise<void> {
      const rows = await rowsOf<{ id: string }>(database)`
        select id from attachments where status = 'scanning' order by created_at limit ${rawSql(batchSize)}`;
      for (const { id } of rows) if (!waiting.includes(id)) waiting.push(id);
      start();
      await waitUntilIdle();
    },
  };
}
