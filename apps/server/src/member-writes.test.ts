/**
 * Nobody who is inside fills the database: what a member can call to change something is limited, or leaves no more than something
 * that is. A new route fails the test until it answers 429, or stands here with its reason. Uploads are no route of the contract:
 * features/attachments/uploads/upload-limits.test.ts is about theirs. Administrators have no such limit: docs/security.md says why.
 */
import { undoDeletion } from '@vestibule/contract/attachments';
import { signOutEverywhere } from '@vestibule/contract/profile';
import { changePreferences } from '@vestibule/contract/profile/me';
import { startPasskeyConfirmation } from '@vestibule/contract/sign-in/confirm';
import { removeIdentity } from '@vestibule/contract/sign-in/identities';
import { removePasskey } from '@vestibule/contract/sign-in/passkeys';
import { endMySession, endOtherSessions } from '@vestibule/contract/sign-in/sessions';
import { saveGridState } from '@vestibule/contract/views';
import type { RouteDefinition } from '@vestibule/contract/route';
import { expect, test } from 'vitest';
import { contractRoutes } from './test/test-routes.ts';

const unlimited = new Map<RouteDefinition, string>([
  [startPasskeyConfirmation, 'writes nothing'],
  [changePreferences, 'columns of the person, and nothing in the log'],
  [saveGridState, 'a row for each list'],
  [signOutEverywhere, 'written down so often in an hour, and never refused'],
  [undoDeletion, 'no more than was deleted'],
  [endMySession, 'no more than sign-ins began'],
  [endOtherSessions, 'no more than sign-ins began'],
  [removeIdentity, 'no more than was added'],
  [removePasskey, 'no more than was added'],
]);

test('whatever a member calls to change something has a limit, or a reason why it needs none', () => {
  const keyOf = ({ method, path }: RouteDefinition) => `${method} ${path}`;
  const withoutLimit = contractRoutes.filter(
    ({ access, method, errors = [] }) =>
      access === 'member' && method !== 'GET' && errors.every(({ status }) => status !== 429),
  );
  expect(withoutLimit.map(keyOf).toSorted()).toEqual([...unlimited.keys()].map(keyOf).toSorted());
});
