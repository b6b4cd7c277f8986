import { createSessions, sessionCookie } from '../../features/auth/sessions/sessions.ts';
import { newId } from '../../platform/database/new-id.ts';
import type { TestApp } from '../test-app.ts';

/** Creates a session of the sign-in method `acme`. Returns the Cookie header and the value. */
export async function createTestSession(
  t: Pick<TestApp, 'database' | 'clock' | 'select' | 'secret'>,
  person: { id: string },
): Promise<{ cookie: string; value: string }> {
  const [found] = await t.select<{ issuer: string; subject: string; tokens_valid_after: Date | null }>`
    select issuer, subject, tokens_valid_after from identities join people on people.id = person_id
    where person_id = ${person.id}`;
  if (!found) throw new Error('unknown person');
  let written = '';
  const sessions = createSessions({
    ...t,
    signInMethodIds: new Set(['acme']),
    limits: () => Promise.resolve({ idleMs: 12 * 3_600_000, absoluteMs: 7 * 24 * 3_600_000 }),
    now: t.clock.now,
  });
  const { issuer, subject, tokens_valid_after } = found;
  await sessions.create(
    { id: person.id, tokens_valid_after },
    {
      issuer,
      subject,
      id: newId(),
      way: 'acme',
      idToken: null,
      refreshToken: null,
      sid: null,
      cookies: {
        get: () => null,
        names: () => [],
        set: (_name, value) => void (written = value),
        clear: () => {},
      },
      origin: { requestId: '', address: '203.0.113.7' },
    },
  );
  return { cookie: `${sessionCookie}=${written}`, value: written };
}
