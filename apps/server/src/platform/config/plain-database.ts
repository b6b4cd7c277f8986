import pg from 'pg';
import { isLoopback } from './loopback.ts';

/** Whether connections by this address go to another machine unencrypted. Connects to nothing. */
export function isPlainConnection(url: string): boolean {
  const { host, ssl } = new pg.Client({ connectionString: url });
  const isSocket = host.startsWith('/');
  return !isSocket && !isLoopback(host) && !ssl;
}
