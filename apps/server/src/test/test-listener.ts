/** What the pages of a browser listen to. */
import { watchChanges } from '@vestibule/contract/events';
import { sessionCookie } from '../features/sign-in/sessions/sessions.ts';
import type { TestApp } from './test-app.ts';
import type { TestBrowser } from './test-browser.ts';

/** Listens by the session of a browser, at any process of the site; `state` says what came so far. */
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

/** Something happens to attachments, which whoever listens hears. */
export const changeAttachments = ({ select }: Pick<TestApp, 'select'>) =>
  select(
    `insert into audit_log (action, actor_label, target_type, target_id, target_label, address, request_id, detail)
     values ('test.done', 'somebody', 'attachment', '1', '1', '', '', '{}')`,
  );
