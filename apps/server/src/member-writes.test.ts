/** Every member route that changes data has a rate limit (429) or a reason. Uploads: upload-limits.test.ts. */
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

test('every member route that changes data has a rate limit or a listed reason for having none', () => {
  const keyOf = ({ method, path }: RouteDefinition) => `${method} ${path}`;
  const withoutLimit = contractRoutes.filter(
    ({ access, method, errors = [] }) =>
      access === 'member' && method !== 'GET' && errors.every(({ status }) => status !== 429),
  );
  expect(withoutLimit.map(keyOf).toSorted()).toEqual([...unlimited.keys()].map(keyOf).toSorted());
});
