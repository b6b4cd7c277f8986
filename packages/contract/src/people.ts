/** People: those who are inside, and what administrators may do about them. */
import * as z from 'zod/mini';
import { defineErrors, defineRoute } from './route.ts';
import { Id, listQuery, Moment, page } from './values.ts';

export const Role = z.enum(['member', 'admin']);
export type Role = z.output<typeof Role>;

export const personErrors = defineErrors({
  notInvited: {
    code: 'person.not_invited',
    status: 403,
    message:
      'Nobody has invited this address yet. Ask the person who told you about this site for an invitation.',
  },
  invitedAsAnother: {
    code: 'person.invited_as_another',
    status: 403,
    message:
      'The invitation was sent to another e-mail address than the one you signed in with. Sign in with the invited address, or ask for an invitation to this one.',
  },
  emailUnverified: {
    code: 'person.email_unverified',
    status: 403,
    message:
      'Your sign-in account has no verified e-mail address, so no invitation can be matched to it. Ask support.',
  },
  invitationExpired: {
    code: 'person.invitation_expired',
    status: 403,
    message: 'Your invitation has expired. Ask for a new one.',
  },
  invitationRevoked: {
    code: 'person.invitation_revoked',
    status: 403,
    message: 'Your invitation was withdrawn. Ask the person who invited you.',
  },
  disabled: {
    code: 'person.disabled',
    status: 403,
    message:
      'Your access has been switched off by an administrator. Ask them if you think this is a mistake.',
  },
  notFound: { code: 'person.not_found', status: 404, message: 'There is no such person, or no longer.' },
  lastAdministrator: {
    code: 'person.last_administrator',
    status: 409,
    message: 'This is the last active administrator. Make somebody else an administrator first.',
  },
});

/** What a call can answer because of who makes it, whichever call it is. */
export const signInErrors = [
  personErrors.notInvited,
  personErrors.invitedAsAnother,
  personErrors.emailUnverified,
  personErrors.invitationExpired,
  personErrors.invitationRevoked,
  personErrors.disabled,
];

export const Person = z.object({
  id: Id,
  email: z.string(),
  displayName: z.string(),
  role: Role,
  status: z.enum(['active', 'disabled']),
  joinedAt: Moment,
  lastSeenAt: z.nullable(Moment),
  invitedBy: z.nullable(z.string()),
});
export type Person = z.output<typeof Person>;

export const listPeople = defineRoute({
  method: 'GET',
  path: '/api/people',
  access: 'admin',
  summary: 'People by page, sorted and searched.',
  query: listQuery(['email', 'displayName', 'role', 'status', 'joinedAt', 'lastSeenAt']),
  answer: page(Person),
});

const onePerson = z.object({ personId: Id });

export const changeRole = defineRoute({
  method: 'POST',
  path: '/api/people/:personId/role',
  access: 'admin',
  summary: 'Makes somebody an administrator or a member again.',
  params: onePerson,
  body: z.strictObject({ role: Role }),
  answer: Person,
  errors: [personErrors.notFound, personErrors.lastAdministrator],
});

export const disablePerson = defineRoute({
  method: 'POST',
  path: '/api/people/:personId/disable',
  access: 'admin',
  summary: 'Refuses everything to somebody from their next request on.',
  params: onePerson,
  answer: Person,
  errors: [personErrors.notFound, personErrors.lastAdministrator],
});

export const enablePerson = defineRoute({
  method: 'POST',
  path: '/api/people/:personId/enable',
  access: 'admin',
  summary: 'Lets a disabled person in again.',
  params: onePerson,
  answer: Person,
  errors: [personErrors.notFound],
});

export const removePerson = defineRoute({
  method: 'DELETE',
  path: '/api/people/:personId',
  access: 'admin',
  summary: 'Removes somebody. To come back they need a new invitation.',
  params: onePerson,
  answer: z.object({ id: Id, email: z.string() }),
  errors: [personErrors.notFound, personErrors.lastAdministrator],
});
