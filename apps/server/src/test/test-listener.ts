import { watchChanges } from '@vestibule/contract/events';
import { sessionCookie } from '../features/auth/sessions/sessions.ts';
import type { TestApp } from './test-app.ts';
import type { TestBrowser } from './sign-in/test-browser.ts';

/** Subscribes with the session of a browser; `state` contains the received events. */
export async function listen({ app }: Pick<TestApp, 'app'>, { cookies }: Pick<TestBrowser, 'cookies'>) {
  const response = await app.inject({
    url: watchChanges.path,
    headers: { cookie: `${sessionCookie}=${cookies.get(sessionCookie)}` },
    payloadAsStream: true,
  });
  const stream = response.stream();
  const state = { ended: false, received: '' };
  stream
    .on('data', (piece: Buffer) => (state.received += piece.toString()))
    .once('end', () => (state.ended = true));
  return { state, stream };
}

export const changeAttachments = ({ select }: Pick<TestApp, 'select'>) =>
  select(
    `insert into audit_log (action, actor_label, target_type, target_id, target_label, address, request_id, detail)
     values ('test.done', 'system', 'attachment', '1', '1', '', '', '{}')`,
  );
