/**
 * What the program of a page asks first. The page tells the browser, which asks while the program is still on its way: on a slow
 * line that is a second less until something is there.
 */
import { latestFiles, listAttachments } from '@vestibule/contract/attachments';
import { getConfiguration } from '@vestibule/contract/configuration';
import { getOwnDashboard } from '@vestibule/contract/dashboard';
import { getMe } from '@vestibule/contract/profile/me';
import type { FastifyRequest } from 'fastify';
import { readCookie } from '../../../platform/http/cookies.ts';
import { sessionCookie } from './sessions.ts';

const files = new URLSearchParams({ limit: String(latestFiles.limit), filters: latestFiles.filters });
const ofDashboard = [getOwnDashboard.path, `${listAttachments.path}?${files.toString()}`];

/** Addresses of the API, as the program writes them. Behind the door only where the browser shows a session: a token is not ours to send. */
export function preloadHeaders({ url, headers }: Pick<FastifyRequest, 'url' | 'headers'>): string[] {
  const [address = ''] = url.split('?');
  const isInside = address.startsWith('/layout/') && readCookie(headers.cookie, sessionCookie) !== null;
  return [
    getConfiguration.path,
    ...(isInside ? [getMe.path] : []),
    ...(isInside && address === '/layout/dashboard' ? ofDashboard : []),
  ];
}
