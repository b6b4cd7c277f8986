import { expect, test } from 'vitest';
import { invitationOf } from './address-parameters.ts';

const code = '7Zf3kQmN5tVbXw9RyPaHcE';

test.each([`?i=${code}`, `?i%3D${code}`, `?i%3d${code}&source=gmail`])('%s contains the code', (search) => {
  expect(invitationOf(search)).toEqual({ code });
});

test.each(['', '?i=', `?j=${code}`])('"%s" contains no invitation', (search) => {
  expect(invitationOf(search)).toBeNull();
});
