/** Directory sync: a company's directory (Entra ID, Okta …) says by SCIM 2.0 who may be inside. What administrators set of it. */
import * as z from 'zod/mini';
import { personErrors } from './people.ts';
import { defineErrors, defineRoute } from './route.ts';
import { Id, Moment } from './values.ts';

/** Where SCIM is. It is no part of this contract: RFC 7643 and 7644 say what is asked and answered there. */
export const scimPath = '/scim/v2';

/** What the token begins with, so that people and scanners of secrets recognise one. */
export const directoryTokenPrefix = 'vsd_';

/** How long the last token works beside a new one. */
export const tokenOverlapHours = 24;

/** The most groups that are shown; those that make administrators come first. */
export const directoryGroupsShown = 200;

/** Roles are changed in one transaction, each with its entry in the log and its mail. */
export const rolesAtOnce = 500;

export const directoryErrors = defineErrors('directory', {
  401: {
    tokenInvalid:
      'This is not the current directory token. Create a new one under Settings, Directory sync, and enter it in the directory.',
  },
  403: { isOff: 'Directory sync is off. An administrator can turn it on under Settings, Directory sync.' },
  404: { groupNotFound: 'The directory has removed this group.' },
  409: {
    tokenMissing: 'There is no token yet. Create one first and enter it in the directory.',
    groupTooLarge: `At most ${rolesAtOnce} people can change role at once. Choose a smaller group for administrators.`,
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
  /** The address that the directory is given. */
  address: z.string(),
  /** Null until one is made. */
  token: z.nullable(
    z.object({
      madeAt: Moment,
      madeBy: z.string(),
      /** Until when the last one works as well. */
      earlierUntil: z.nullable(Moment),
    }),
  ),
  /** To the minute. */
  lastUsedAt: z.nullable(Moment),
  lastAddress: z.nullable(z.string()),
  /** How many people the directory names. */
  users: z.number(),
  groups: z.array(DirectoryGroup),
});
export type Directory = z.output<typeof Directory>;

export const getDirectory = defineRoute('GET /api/directory', {
  access: 'admin',
  summary: 'Whether and how a directory controls access, when it was last heard from, and its groups.',
  answer: Directory,
});

export const changeDirectory = defineRoute('PATCH /api/directory', {
  access: 'admin',
  fresh: ({ isOn, onCreate }: { isOn?: boolean | undefined; onCreate?: string | undefined }) =>
    isOn === true || onCreate === 'admit',
  summary:
    'Turns the sync on or off, and sets how new people get access: `invite` e-mails an invitation, `admit` gives access to anyone who signs in with a verified address.',
  body: z.strictObject({
    isOn: z.optional(z.boolean('This must be true or false.')),
    onCreate: z.optional(OnCreate),
  }),
  answer: Directory,
  errors: [directoryErrors.tokenMissing],
});

export const createDirectoryToken = defineRoute('POST /api/directory/token', {
  access: 'admin',
  fresh: true,
  summary: `Creates a new token for the directory. It is shown only in this response. The previous one works for ${tokenOverlapHours} more hours.`,
  answer: z.object({ token: z.string(), directory: Directory }),
});

export const changeDirectoryGroup = defineRoute('PATCH /api/directory/groups/:groupId', {
  access: 'admin',
  fresh: ({ givesAdministrator }: { givesAdministrator: boolean }) => givesAdministrator,
  summary: 'Sets whether the members of a directory group are administrators, and changes their roles.',
  params: z.object({ groupId: Id }),
  body: z.strictObject({ givesAdministrator: z.boolean('This must be true or false.') }),
  answer: Directory,
  errors: [directoryErrors.groupNotFound, directoryErrors.groupTooLarge, personErrors.lastAdministrator],
});
