import * as z from 'zod/mini';
import { defineErrors, defineRoute } from '../route.ts';
import { EmailAddress, Id, listQuery, Moment, page } from '../values.ts';
import { NamedPerson } from './named-person.ts';

/** Files of a removed person are deleted after this time unless they are handed over. */
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

/** Handling of a removed person's files. Default: hand over to the caller. */
export const removalFileOptions = {
  /** `delete` deletes the files after `fileRetentionDays`, unless they are handed over before. */
  files: z.optional(z.enum(['handOver', 'delete'], 'Files are handed over (handOver) or deleted (delete).')),
  handOverTo: z.optional(EmailAddress),
};
export type RemovalFileOptions = {
  files?: 'handOver' | 'delete' | undefined;
  handOverTo?: string | undefined;
};

export const RemovedPerson = z.object({
  id: Id,
  email: z.string(),
  displayName: z.string(),
  removedAt: Moment,
  removedBy: z.string(),
  /** Current member who has the address `removedBy`. */
  remover: z.nullable(NamedPerson),
  /** Number of files that will be deleted. `filesGoAt` is the time of the deletion; null if there are no files. */
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
  response: page(RemovedPerson),
});

export const handOverFiles = defineRoute('POST /api/removed-people/:personId/hand-over', {
  access: 'admin',
  scope: 'people:write',
  summary: 'Hands over the files of a removed person before they are deleted.',
  params: z.object({ personId: Id }),
  body: z.strictObject({ to: EmailAddress }),
  response: z.object({ files: z.number() }),
  errors: [removedErrors.receiverUnusable],
});

export const erasePerson = defineRoute('POST /api/removed-people/erase', {
  access: 'admin',
  requiresRecentAuth: true,
  summary:
    'Replaces the name, address, devices and network addresses of a former member with a pseudonym everywhere. This cannot be undone.',
  body: z.strictObject({ email: EmailAddress }),
  response: z.object({
    pseudonym: z.string(),
    /** Number of changed audit entries, in the database and in archives. */
    entries: z.number(),
    /** Archive files that are missing in the archive directory, so they were not searched. */
    missingFiles: z.array(z.string()),
  }),
  errors: [removedErrors.stillInside, removedErrors.addressInUse, removedErrors.nothingToErase],
});
