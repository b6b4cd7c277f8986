import { personErrors } from '@vestibule/contract/people';
import { passkeyMethod } from '../../../platform/config/sign-in-methods.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import type { PersonRow } from '../../people/people-store.ts';
import type { BrowserContext } from '../email-codes/email-codes.ts';
import type { RecordProviderResult } from '../oidc/provider-health.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { passkeyIdentity } from './passkey-store.ts';

export function createPasskeySession(
  { sessions, recordProviderResult }: { sessions: Sessions; recordProviderResult: RecordProviderResult },
  person: PersonRow,
  { id, handle, ...browser }: BrowserContext & { id: string; handle: string },
  alongside?: (transaction: Queryable) => Promise<void>,
): Promise<void> {
  if (person.status === 'disabled') throw fail(personErrors.disabled);
  recordProviderResult(passkeyMethod, null);
  const noTokens = { idToken: null, refreshToken: null, sid: null };
  return sessions.create(
    person,
    { ...passkeyIdentity(handle), ...noTokens, ...browser, id, way: passkeyMethod },
    alongside,
  );
}
