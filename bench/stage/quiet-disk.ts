/** Measurements begin with a disk that has nothing left to write of what came before: what waits for it would pay for others. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';

/** Until the operating system has written all files to their disks (sync(1)). */
export async function filesWritten(): Promise<void> {
  await promisify(execFile)('sync');
}

/** The same of what a database keeps in its memory. `administratorUrl` is its superuser's. */
export async function databaseWritten(administratorUrl: string): Promise<void> {
  const client = new pg.Client(administratorUrl);
  await client.connect();
  await client.query('checkpoint');
  await client.end();
  await filesWritten();
}
