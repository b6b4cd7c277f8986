/** Settings of directory sync: a directory such as Entra ID or Okta manages the members by SCIM 2.0. */
import * as z from 'zod/mini';
import { personErrors } from './people.ts';
import { defineErrors, defineRoute } from './route.ts';
import { Id, Moment } from './values.ts';

/** Base path of the SCIM endpoints, which follow RFC 7643 and 7644 and are not part of this contract. */
export const scimPath = '/scim/v2';

/** Token prefix by which secret scanners find leaked tokens. */
export const directoryTokenPrefix = 'vsd_';

/** The previous token remains valid for this time after a rotation. */
export const tokenOverlapHours = 24;

/** Maximum number of groups in a response. Groups of administrators come first. */
export const shownGroupsMaximum = 200;

/** Maximum number of roles changed at once: one transaction contains an audit entry and a mail for each change. */
export const roleChangesMaximum = 500;

export const directoryErrors = defineErrors('directory', {
  401: {
    tokenInvalid:
      'This is not the current directory token. Create a new one under Settings, Directory sync (of an organization: Integrations), and enter it in the directory.',
  },
  403: { isOff: 'Directory sync is off. An administrator can turn it on under Settings, Directory sync.' },
  404: { groupNotFound: 'The directory has removed this group.' },
  409: {
    tokenMissing: 'There is no token yet. Create one first and enter it in the directory.',
    groupTooLarge: `At most ${roleChangesMaximum} people can change role at once. Choose a smaller group for administrators.`,
  },
});

const DirectoryGroup = z.object({
  id: Id,
  name: z.string(),
  members: z.number(),
  givesAdministrator: z.boolean(),
});
export type DirectoryGroup = z.output<typeof DirectoryGroup>;

const OnCreate = z.enum(
  ['invite', 'admit'],
  'New people are invited (invite) or get access without an invitation (admit).',
);

export const Directory = z.object({
  isOn: z.boolean(),
  onCreate: OnCreate,
  address: z.string(),
  token: z.nullable(
    z.object({
      madeAt: Moment,
      madeBy: z.string(),
      /** Time until which the previous token is valid. */
      earlierUntil: z.nullable(Moment),
    }),
  ),
  lastUsedAt: z.nullable(Moment),
  lastAddress: z.nullable(z.string()),
  users: z.number(),
  groups: z.array(DirectoryGroup),
});
export type Directory = z.output<typeof Directory>;

export const getDirectory = defineRoute('GET /api/directory', {
  access: 'admin',
  summary: 'The state of directory sync, its last request, and its groups.',
  response: Directory,
});

export const changeDirectory = defineRoute('PATCH /api/directory', {
  access: 'admin',
  requiresRecentAuth: ({ isOn, onCreate }: { isOn?: boolean | undefined; onCreate?: string | undefined }) =>
    isOn === true || onCreate === 'admit',
  summary:
    'Turns the sync on or off, and sets how new people get access: `invite` e-mails an invitation, `admit` gives access to anyone who signs in with a verified address.',
  body: z.strictObject({
    isOn: z.optional(z.boolean('This must be true or false.')),
    onCreate: z.optional(OnCreate),
  }),
  response: Directory,
  errors: [directoryErrors.tokenMissing],
});

export const createDirectoryToken = defineRoute('POST /api/directory/token', {
  access: 'admin',
  requiresRecentAuth: true,
  summary: `Creates a new token for the directory. It is shown only in this response. The previous one works for ${tokenOverlapHours} more hours.`,
  response: z.object({ token: z.string(), directory: Directory }),
});

export const changeDirectoryGroup = defineRoute('PATCH /api/directory/groups/:groupId', {
  access: 'admin',
  requiresRecentAuth: ({ givesAdministrator }: { givesAdministrator: boolean }) => givesAdministrator,
  summary: 'Sets whether the members of a directory group are administrators, and changes their roles.',
  params: z.object({ groupId: Id }),
  body: z.strictObject({ givesAdministrator: z.boolean('This must be true or false.') }),
  response: Directory,
  errors: [directoryErrors.groupNotFound, directoryErrors.groupTooLarge, personErrors.lastAdministrator],
});
