/** Names and addresses of people. Separate from people.ts, because only the forms need these schemas in the browser. */
import * as z from 'zod/mini';
import { Person, personErrors } from '../people.ts';
import { requestErrors } from '../request-errors.ts';
import { fieldTexts } from '../texts/field-texts.ts';
import { defineErrors, defineRoute } from '../route.ts';
import { schemaMessage } from '../texts/text.ts';
import { expectedVersion, Id, InvitedAddress, lineOfText } from '../values.ts';

export const detailErrors = defineErrors(
  'person_details',
  {
    409: {
      addressTaken: 'Another person has this address. Enter another one.',
      addressInvited: 'This address has been invited. Revoke the invitation first.',
    },
  },
  { addressTaken: 'email', addressInvited: 'email' },
);

export const nameChangesPerHour = 20;

const PersonName = lineOfText(100).check(z.minLength(1, schemaMessage(fieldTexts.nameMissing)));

export const PersonDetails = z.strictObject({
  displayName: z.optional(PersonName),
  email: z.optional(InvitedAddress),
});
export type PersonDetails = z.output<typeof PersonDetails>;

export const changePerson = defineRoute('PATCH /api/people/:personId', {
  access: 'admin',
  // The address receives the codes that sign in the person. So no access token may change it.
  requiresRecentAuth: ({ email }: PersonDetails) => email !== undefined,
  summary:
    'Changes the name or the address of a person. A new address is announced by e-mail to both addresses.',
  params: z.object({ personId: Id }),
  query: expectedVersion,
  body: PersonDetails,
  response: Person,
  errors: [
    personErrors.notFound,
    personErrors.changed,
    detailErrors.addressTaken,
    detailErrors.addressInvited,
  ],
});

export const changeMyName = defineRoute('PATCH /api/users/me/name', {
  access: 'member',
  summary: `Changes the caller's name, up to ${nameChangesPerHour} times an hour.`,
  body: z.strictObject({ displayName: PersonName }),
  response: Person,
  errors: [requestErrors.tooMany],
});
