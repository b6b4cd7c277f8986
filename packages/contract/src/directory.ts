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

export const directoryErrors = defineErrors({
  tokenInvalid: {
    code: 'directory.token_invalid',
    status: 401,
    message:
      'This is not the token of the directory, or no longer. Make a new one under Settings, Directory sync, and give it to the directory.',
  },
  isOff: {
    code: 'directory.is_off',
    status: 403,
    message:
      'Directory sync is switched off. An administrator switches it on under Settings, Directory sync.',
  },
  tokenMissing: {
    code: 'directory.token_missing',
    status: 409,
    message: 'There is no token yet. Make one first, and give it to the directory.',
  },
  groupTooLarge: {
    code: 'directory.group_too_large',
    status: 409,
    message: `At most ${rolesAtOnce} people get another role at once. Let a smaller group make administrators.`,
  },
  groupNotFound: {
    code: 'directory.group_not_found',
    status: 404,
    message: 'The directory has removed this group meanwhile.',
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
  'Whoever is new is invited (invite) or let in silently (admit).',
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

export const getDirectory = defineRoute({
  method: 'GET',
  path: '/api/directory',
  access: 'admin',
  summary: 'Whether and how a directory says who may be inside, when it did last, and its groups.',
  answer: Directory,
});

export const changeDirectory = defineRoute({
  method: 'PATCH',
  path: '/api/directory',
  access: 'admin',
  fresh: ({ isOn, onCreate }: { isOn?: boolean | undefined; onCreate?: string | undefined }) =>
    isOn === true || onCreate === 'admit',
  summary:
    'Switches the sync on or off, and says what becomes of whoever is new: `invite` mails an invitation, `admit` lets in silently whoever signs in with a proven address.',
  body: z.strictObject({
    isOn: z.optional(z.boolean('This is true or false.')),
    onCreate: z.optional(OnCreate),
  }),
  answer: Directory,
  errors: [directoryErrors.tokenMissing],
});

export const makeDirectoryToken = defineRoute({
  method: 'POST',
  path: '/api/directory/token',
  access: 'admin',
  fresh: true,
  summary: `Makes a new token for the directory. This answer is the only one that holds it; the last one works for ${tokenOverlapHours} more hours.`,
  answer: z.object({ token: z.string(), directory: Directory }),
});

export const changeDirectoryGroup = defineRoute({
  method: 'PATCH',
  path: '/api/directory/groups/:groupId',
  access: 'admin',
  fresh: ({ givesAdministrator }: { givesAdministrator: boolean }) => givesAdministrator,
  summary: 'Says whether those in a group of the directory are administrators, and makes them so.',
  params: z.object({ groupId: Id }),
  body: z.strictObject({ givesAdministrator: z.boolean('This is true or false.') }),
  answer: Directory,
  errors: [directoryErrors.groupNotFound, directoryErrors.groupTooLarge, personErrors.lastAdministrator],
});
