/**
 * Measurements begin with a disk that has nothing left to write of what came before, and with memory at hand: what waits for
 * either would pay for others.
 */
import { execFile } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

/** Until the operating system has written all files to their disks (sync(1)). */
export async function flushFiles(): Promise<void> {
  await promisify(execFile)('sync');
}

/** The same of what a database keeps in its memory. `administratorUrl` is its superuser's. */
export async function flushDatabase(administratorUrl: string): Promise<void> {
  const client = new pg.Client(administratorUrl);
  await client.connect();
  await client.query('checkpoint');
  await client.end();
  await flushFiles();
}

/**
 * Until as much memory as a file of so many megabytes takes was written to and given back. A virtual machine has to be given its
 * memory first, where it has not used it lately; writing into that takes three times as long.
 */
export async function reserveMemory(directory: string, megabytes: number): Promise<void> {
  const name = path.join(directory, 'memory');
  const file = await open(name, 'w');
  const chunk = Buffer.alloc(1024 * 1024);
  for (let written = 0; written < megabytes; written += 1) await file.write(chunk);
  await file.close();
  await rm(name);
}
