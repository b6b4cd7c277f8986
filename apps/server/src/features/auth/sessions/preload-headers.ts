/** First API requests of a page, sent as preload headers: they start while the scripts load. */
import { latestFilesParameters, listAttachments } from '@vestibule/contract/attachments';
import { getConfiguration } from '@vestibule/contract/configuration';
import { getOwnDashboard } from '@vestibule/contract/dashboard';
import { getMe } from '@vestibule/contract/profile/me';
import type { FastifyRequest } from 'fastify';
import { readCookie } from '../../../platform/http/cookies.ts';
import { sessionCookie } from './sessions.ts';

const latestFilesQuery = new URLSearchParams({
  limit: String(latestFilesParameters.limit),
  filters: latestFilesParameters.filters,
});
const dashboardPaths = [getOwnDashboard.path, `${listAttachments.path}?${latestFilesQuery.toString()}`];

/**
 * Returns paths exactly as the client requests them. Those that need authentication are included only if the browser
 * has a session cookie: a preload cannot send an access token.
 */
export function preloadHeaders({ url, headers }: Pick<FastifyRequest, 'url' | 'headers'>): string[] {
  const [path = ''] = url.split('?');
  const hasSession = path.startsWith('/layout/') && readCookie(headers.cookie, sessionCookie) !== null;
  return [
    getConfiguration.path,
    ...(hasSession ? [getMe.path] : []),
    ...(hasSession && path === '/layout/dashboard' ? dashboardPaths : []),
  ];
}
