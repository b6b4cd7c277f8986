/** Flushes pending writes and touches memory before a measurement, so that it does not pay for earlier work. */
import { execFile } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

/** Waits until all files are written to disk (sync(1)). */
export async function flushFiles(): Promise<void> {
  await promisify(execFile)('sync');
}

/** Runs a checkpoint as superuser and waits until it is on disk. */
export async function flushDatabase(administratorUrl: string): Promise<void> {
  const client = new pg.Client(administratorUrl);
  await client.connect();
  await client.query('checkpoint');
  await client.end();
  await flushFiles();
}

/**
 * Writes and deletes a file of this size. A virtual machine has to be given its memory first; writing to unused memory takes three
 * times as long.
 */
export async function reserveMemory(directory: string, megabytes: number): Promise<void> {
  const name = path.join(directory, 'memory');
  const file = await open(name, 'w');
  const chunk = Buffer.alloc(1024 * 1024);
  for (let written = 0; written < megabytes; written += 1) await file.write(chunk);
  await file.close();
  await rm(name);
}
