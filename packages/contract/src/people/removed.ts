/** People who were removed: what becomes of their files, and erasing who they were. */
import * as z from 'zod/mini';
import { defineErrors, defineRoute } from '../route.ts';
import { EmailAddress, Id, listQuery, Moment, page } from '../values.ts';
import { NamedPerson } from './named-person.ts';

/** Files of a removed person that nobody takes over are deleted after so many days. */
export const fileRetentionDays = 30;

export const removedErrors = defineErrors('person', {
  404: {
    nothingToErase:
      'Nothing is stored about this address. Check that the address is spelled as in the invitation.',
  },
  409: {
    receiverUnusable:
      'The files cannot be handed over to this address: no active member has it, or that member is being removed too. Enter a different address.',
    stillInside: 'A member has this address. Remove them first, then erase them.',
    addressInUse:
      'This is the support address or the sender address of this site. Change it in Settings first, then erase it.',
  },
});

/** What becomes of the files of whoever is removed. Without it, whoever removes them takes them over. */
export const filesOfRemoved = {
  /** `delete`: after 30 days, unless somebody takes them over until then. */
  files: z.optional(z.enum(['handOver', 'delete'], 'Files are handed over (handOver) or deleted (delete).')),
  /** The address of whoever takes them over; left out, whoever removes. */
  handOverTo: z.optional(EmailAddress),
};
export type FilesOfRemoved = { files?: 'handOver' | 'delete' | undefined; handOverTo?: string | undefined };

export const RemovedPerson = z.object({
  id: Id,
  email: z.string(),
  displayName: z.string(),
  removedAt: Moment,
  removedBy: z.string(),
  /** Who is inside by that address. */
  remover: z.nullable(NamedPerson),
  /** Files that wait to be deleted, and when that will be; null when there are none. */
  files: z.number(),
  filesGoAt: z.nullable(Moment),
});
export type RemovedPerson = z.output<typeof RemovedPerson>;

const removedColumns = ['email', 'displayName', 'removedAt'] as const;
export type RemovedColumn = (typeof removedColumns)[number];

export const listRemovedPeople = defineRoute('GET /api/removed-people', {
  access: 'admin',
  scope: 'people:read',
  summary: 'People who were removed but not erased, paged.',
  query: listQuery(removedColumns, removedColumns),
  answer: page(RemovedPerson),
});

export const handOverFiles = defineRoute('POST /api/removed-people/:personId/hand-over', {
  access: 'admin',
  scope: 'people:write',
  summary: 'Hands over the files of a removed person before they are deleted.',
  params: z.object({ personId: Id }),
  body: z.strictObject({ to: EmailAddress }),
  answer: z.object({ files: z.number() }),
  errors: [removedErrors.receiverUnusable],
});

export const erasePerson = defineRoute('POST /api/removed-people/erase', {
  access: 'admin',
  fresh: true,
  summary:
    'Replaces the name, address, devices and network addresses of a former member with a pseudonym everywhere. This cannot be undone.',
  body: z.strictObject({ email: EmailAddress }),
  answer: z.object({
    /** What stands there instead. */
    pseudonym: z.string(),
    /** Entries of the log that were changed, in the database and in the archive. */
    entries: z.number(),
    /** Archived files that are not where the server keeps them, and were not looked at. */
    missingFiles: z.array(z.string()),
  }),
  errors: [removedErrors.stillInside, removedErrors.addressInUse, removedErrors.nothingToErase],
});
