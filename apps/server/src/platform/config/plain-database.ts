import pg from 'pg';
import { isLoopback } from './loopback.ts';

/** Returns whether a connection with this URL would be unencrypted to another machine. Does not connect. */
export function isPlainConnection(url: string): boolean {
  const { host, ssl } = new pg.Client({ connectionString: url });
  const isSocket = host.startsWith('/');
  return !isSocket && !isLoopback(host) && !ssl;
}
