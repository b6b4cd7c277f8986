import * as z from 'zod/mini';
import { Activity } from './activity.ts';
import { NamedPerson } from './people/named-person.ts';
import { removalFileOptions, removedErrors } from './people/removed.ts';
import { requestErrors } from './request-errors.ts';
import { Role } from './rules/role.ts';
import { defineErrors, defineRoute, errorsOf } from './route.ts';
import { defineTexts } from './texts/text.ts';
import {
  exportOf,
  groupColumn,
  groupCounts,
  groupCountsSummary,
  Id,
  listQuery,
  Moment,
  page,
  expectedVersion,
  selectionResult,
  selectionErrors,
  selectionSchema,
} from './values.ts';

export const personErrors = defineErrors('person', {
  403: {
    notInvited:
      'This address has not been invited yet. Ask the person who told you about this site for an invitation.',
    joinRequested:
      'Your request to join {organization} was sent to its managers. When they approve it, you get an invitation by e-mail.',
    joinDeclined: 'Your request to join {organization} was declined. Ask its managers for an invitation.',
    invitedAsAnother:
      'The invitation was sent to a different e-mail address. Sign in with the invited address, or ask for an invitation to this one.',
    emailUnverified:
      'Your sign-in account has no verified e-mail address, so no invitation can be matched to it. Ask support.',
    administratorUnproven:
      'Your invitation makes you an administrator, but the sign-in service confirmed neither the invitation nor your e-mail address. Open the link in your invitation and sign up with it. If you already have an account, ask to be invited as a member: an administrator can change your role afterwards.',
    organizationRoleUnproven:
      'Your invitation gives you a role in an organization, but the sign-in service confirmed neither the invitation nor your e-mail address. Open the link in your invitation, and sign up with it.',
    hasOtherAccount:
      'There is an account with this address already. Sign in as you did before, then open the link in your invitation again.',
    accountReplaced:
      'A member with this address signs in another way, or with another account. Sign in as before. If your account at the sign-in service was replaced, ask an administrator to send you a link for the new one.',
    invitationExpired: 'Your invitation has expired. Ask for a new one.',
    invitationRevoked: 'Your invitation was revoked. Ask the person who invited you.',
    disabled:
      'An administrator has disabled your access. If you think this is a mistake, ask an administrator.',
    signedOut:
      'You were signed out on all devices, by yourself or by an administrator. Sign in again to continue. If it was not you, check your passkeys in the profile, and change the passwords of the accounts with which you sign in.',
  },
  404: { notFound: 'This person does not exist or was removed.' },
  409: {
    changed:
      '{actor} has changed {email} in the meantime (role: {role}, status: {status}). Review the change, then try again.',
    lastAdministrator: 'This is the last active administrator. Make someone else an administrator first.',
  },
});

export const personSkipped = defineTexts('person_skipped', {
  gone: 'No longer a member.',
  isYou: 'This is you. Your own account is never changed in bulk.',
  isAdmin: 'Already an administrator.',
  isMember: 'Already a member.',
  isActive: 'Already active.',
  isDisabled: 'Already disabled.',
});

/** Errors that every authenticated call can return because of the caller's account. */
export const signInErrors = Object.values(personErrors).filter(({ status }) => status === 403);

export const Person = z.object({
  id: Id,
  email: z.string(),
  displayName: z.string(),
  role: Role,
  status: z.enum(['active', 'disabled']),
  joinedAt: Moment,
  lastSignInAt: z.nullable(Moment),
  lastSeenAt: z.nullable(Moment),
  invitedBy: z.nullable(z.string()),
  /** Ids of the person's sign-in methods, separated by commas. */
  ways: z.string(),
  /** Incremented with each change. Changes that send it fail if it is outdated. */
  version: z.number(),
});
export type Person = z.output<typeof Person>;

/** `inviter` is the member who invited the person; null if the inviter is no longer a member. */
export const ListedPerson = z.extend(Person, { inviter: z.nullable(NamedPerson) });
export type ListedPerson = z.output<typeof ListedPerson>;

const peopleColumns = [
  'email',
  'displayName',
  'role',
  'status',
  'joinedAt',
  'lastSignInAt',
  'lastSeenAt',
  'invitedBy',
  'ways',
] as const;
export type PeopleColumn = (typeof peopleColumns)[number];

/** Groups for counts and filters. `new`: joined within `newDays`. `quiet`: active, but not seen for `quietDays`. */
const peopleGroups = ['active', 'administrators', 'new', 'quiet', 'disabled'] as const;
export type PeopleGroup = (typeof peopleGroups)[number];
export const newDays = 7;
export const quietDays = 90;

export const peopleFilters = [...peopleColumns, groupColumn] as const;

export const countPeople = defineRoute('GET /api/people/counts', {
  access: 'admin',
  scope: 'people:read',
  summary: `How many people there are in total and in each group the list can be filtered by (new: joined within ${newDays} days; quiet: active but not seen for ${quietDays} days); ${groupCountsSummary}`,
  response: groupCounts(peopleGroups),
});

export const listPeople = defineRoute('GET /api/people', {
  access: 'admin',
  scope: 'people:read',
  summary: 'People, paged, sorted, searched and filtered.',
  query: listQuery(peopleColumns, peopleFilters),
  response: page(ListedPerson),
});

export const exportPeople = defineRoute('POST /api/people/export', {
  access: 'admin',
  scope: 'people:read',
  summary: 'All matching people, as CSV or as a workbook.',
  ...exportOf(peopleColumns, peopleColumns, peopleFilters),
});

const personParams = z.object({ personId: Id });

export const getPerson = defineRoute('GET /api/people/:personId', {
  access: 'admin',
  scope: 'people:read',
  summary: 'One person.',
  params: personParams,
  response: ListedPerson,
  errors: [personErrors.notFound],
});

export const listTimeline = defineRoute('GET /api/people/:personId/timeline', {
  access: 'admin',
  scope: 'people:read',
  summary: 'Actions by a person and changes of their account, newest first, 50 entries at a time.',
  params: personParams,
  query: z.object({ before: z.optional(z.coerce.number().check(z.int(), z.minimum(1))) }),
  response: z.object({ rows: z.array(Activity), more: z.boolean() }),
  errors: [personErrors.notFound],
});

export const SignIn = z.object({
  id: z.number(),
  at: Moment,
  address: z.string(),
  /** Browser such as `Firefox`; null if unknown. `system` is the operating system, such as `Windows`. */
  browser: z.nullable(z.string()),
  system: z.nullable(z.string()),
});
export type SignIn = z.output<typeof SignIn>;

export const listSignIns = defineRoute('GET /api/people/:personId/sign-ins', {
  access: 'admin',
  scope: 'people:read',
  summary: 'The latest 50 sign-ins of a person, with IP address and browser.',
  params: personParams,
  response: z.object({ rows: z.array(SignIn) }),
  errors: [personErrors.notFound],
});

const personChange = {
  access: 'admin',
  scope: 'people:write',
  params: personParams,
  query: expectedVersion,
  response: Person,
} as const;

export const changeRole = defineRoute('POST /api/people/:personId/role', {
  ...personChange,
  requiresRecentAuth: ({ role }: { role: Role }) => role === 'admin',
  summary: 'Makes a person an administrator, or a member again.',
  body: z.strictObject({ role: Role }),
  errors: [personErrors.notFound, personErrors.lastAdministrator, personErrors.changed],
});

export const disablePerson = defineRoute('POST /api/people/:personId/disable', {
  ...personChange,
  summary: 'Disables a person: all further requests are refused.',
  errors: [personErrors.notFound, personErrors.lastAdministrator, personErrors.changed],
});

export const enablePerson = defineRoute('POST /api/people/:personId/enable', {
  ...personChange,
  summary: 'Restores access for a disabled person.',
  errors: [
    // For administrators.
    requestErrors.administratorScopeMissing,
    personErrors.notFound,
    personErrors.changed,
  ],
});

export const removePerson = defineRoute('DELETE /api/people/:personId', {
  access: 'admin',
  scope: 'people:write',
  summary: 'Removes a person, and deletes or hands over their files. They need a new invitation to rejoin.',
  params: personParams,
  query: z.extend(expectedVersion, removalFileOptions),
  response: z.object({ id: Id, email: z.string() }),
  errors: [
    ...errorsOf(personErrors, 'notFound', 'lastAdministrator', 'changed'),
    removedErrors.receiverUnusable,
  ],
});

export const signOutPerson = defineRoute('POST /api/people/:personId/sign-out', {
  ...personChange,
  summary:
    'Ends every sign-in of a person: they have to sign in again on every device. Personal access tokens keep working.',
  errors: [personErrors.notFound, personErrors.changed],
});

export const PeopleAction = z.enum(['makeAdmin', 'makeMember', 'enable', 'disable', 'signOut', 'remove']);
export type PeopleAction = z.output<typeof PeopleAction>;

export const actOnPeople = defineRoute('POST /api/people/actions', {
  access: 'admin',
  scope: 'people:write',
  requiresRecentAuth: ({ action }: { action: PeopleAction }) => action === 'makeAdmin',
  summary:
    'Performs an action on the selected people, except the caller. Returns the skipped ones with the reason.',
  /** The file options apply to the action `remove`. */
  body: z.strictObject({
    action: PeopleAction,
    selection: selectionSchema(peopleFilters),
    ...removalFileOptions,
  }),
  response: selectionResult(peopleFilters),
  errors: [
    ...errorsOf(selectionErrors, 'tooLarge', 'changed'),
    requestErrors.adminNeeded,
    removedErrors.receiverUnusable,
  ],
});
