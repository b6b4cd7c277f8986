import { expect, test } from 'vitest';
import { personChanges } from './person-changes.ts';

test.each([
  ['makeAdmin', '1 person made an administrator.', '2 people made administrators.'],
  ['makeMember', '1 person made a member.', '2 people made members.'],
  ['disable', '1 person disabled.', '2 people disabled.'],
])('the toast of %s uses the singular for one person', (action, one, two) => {
  const change = personChanges().find((offered) => offered.action === action);
  expect([1, 2].map((count) => change?.doneToMany(count))).toEqual([one, two]);
});
