/** Server-sent events as a browser page receives them. */
import { watchChanges } from '@vestibule/contract/events';
import { sessionCookie } from '../features/auth/sessions/sessions.ts';
import type { TestApp } from './test-app.ts';
import type { TestBrowser } from './test-browser.ts';

/** Subscribes with a browser's session, at any process of the site; `state` returns the events so far. */
export async function listen({ app }: Pick<TestApp, 'app'>, { cookies }: Pick<TestBrowser, 'cookies'>) {
  const answer = await app.inject({
    url: watchChanges.path,
    headers: { cookie: `${sessionCookie}=${cookies.get(sessionCookie)}` },
    payloadAsStream: true,
  });
  const stream = answer.stream();
  const state = { ended: false, heard: '' };
  stream
    .on('data', (piece: Buffer) => (state.heard += piece.toString()))
    .once('end', () => (state.ended = true));
  return { state, stream };
}

/** Records a change of attachments, which listeners receive. */
export const changeAttachments = ({ select }: Pick<TestApp, 'select'>) =>
  select(
    `insert into audit_log (action, actor_label, target_type, target_id, target_label, address, request_id, detail)
     values ('test.done', 'somebody', 'attachment', '1', '1', '', '', '{}')`,
  );
