/** Sessions of whoever signs in by a passkey or a mailed code. */
import { personErrors } from '@vestibule/contract/people';
import { passkeysWay } from '../../../platform/config/sign-in-methods.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import type { PersonRow } from '../../people/people-store.ts';
import type { By } from '../email-codes/email-codes.ts';
import type { NoteWay } from '../oidc/provider-health.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { passkeyIdentity } from './passkey-store.ts';

export function beginPasskeySession(
  { sessions, noteWay }: { sessions: Sessions; noteWay: NoteWay },
  person: PersonRow,
  { id, handle, ...by }: By & { id: string; handle: string },
  alongside?: (transaction: Queryable) => Promise<void>,
): Promise<void> {
  if (person.status === 'disabled') throw fail(personErrors.disabled);
  noteWay(passkeysWay, null);
  const noTokens = { idToken: null, refreshToken: null, sid: null };
  return sessions.begin(
    person,
    { ...passkeyIdentity(handle), ...noTokens, ...by, id, way: passkeysWay },
    alongside,
  );
}
