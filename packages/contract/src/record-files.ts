/**
 * Files on a record of an extension, such as a ticket. The routes exist for each type of records that an extension declares in `files`.
 *
 * A file is uploaded as every attachment (`uploadsPath`) and is then added to the record. Until then it is a private file of the uploader.
 */
import * as z from 'zod/mini';
import { AttachmentKind, AttachmentStatus, linkMinutes } from './attachments.ts';
import { attachmentErrors, uploadErrors } from './attachments/errors.ts';
import { defineErrors, defineRoute, errorsOf } from './route.ts';
import { Id, Moment } from './values.ts';

export const recordFileErrors = defineErrors('record_file', {
  400: { kindNotAllowed: 'Files of this kind cannot be added here. Choose another file.' },
  404: { recordNotFound: 'This record does not exist or was deleted.' },
  409: {
    tooMany: 'There are already {maximum} files here. Delete one that is no longer needed.',
    shared: 'This file is shared. Stop sharing it, or upload it again.',
  },
});

export const RecordFile = z.object({
  id: Id,
  name: z.string(),
  type: z.string(),
  kind: AttachmentKind,
  /** Size in bytes. */
  size: z.number(),
  /** Name of the person who added the file. */
  addedBy: z.string(),
  createdAt: Moment,
  status: AttachmentStatus,
});
export type RecordFile = z.output<typeof RecordFile>;

const recordParams = z.object({ organizationId: Id, recordId: Id });
const fileParams = z.object({ organizationId: Id, recordId: Id, fileId: Id });

/** Returns the routes of files on records of a type. Only the server checks the permissions; the browser omits them. */
export function recordFileRoutes(type: string, { read, write } = { read: '', write: '' }) {
  const path = `/api/organizations/:organizationId/files/${type}/:recordId` as const;
  return {
    list: defineRoute(`GET ${path}`, {
      access: { permission: read },
      summary: `Files on a record (${type}), oldest first, and the limits of new files.`,
      params: recordParams,
      response: z.object({
        rows: z.array(RecordFile),
        /** Whether the caller may add and delete files. */
        mayChange: z.boolean(),
        maximum: z.number(),
        maximumBytes: z.number(),
        kinds: z.array(AttachmentKind),
      }),
      errors: [recordFileErrors.recordNotFound],
    }),
    add: defineRoute(`POST ${path}`, {
      access: { permission: write },
      summary: `Adds a private file of the caller to a record (${type}). From then on, the permissions in the organization apply to it. A repeated call changes nothing.`,
      params: recordParams,
      body: z.strictObject({ attachmentId: Id }),
      response: RecordFile,
      errors: [
        ...errorsOf(recordFileErrors, 'recordNotFound', 'kindNotAllowed', 'tooMany', 'shared'),
        uploadErrors.fileTooLarge,
        ...errorsOf(attachmentErrors, 'notFound', 'quarantined', 'missing', 'tooOften'),
      ],
    }),
    link: defineRoute(`POST ${path}/:fileId/link`, {
      access: { permission: read },
      summary: `A link to the contents of a file on a record (${type}). It works for ${linkMinutes} minutes, as long as the caller has the permission.`,
      params: fileParams,
      body: z.strictObject({ purpose: z.enum(['download', 'preview']) }),
      response: z.object({ path: z.string(), until: Moment }),
      errors: errorsOf(attachmentErrors, 'notFound', 'scanning', 'quarantined', 'missing', 'tooOften'),
    }),
    remove: defineRoute(`DELETE ${path}/:fileId`, {
      access: { permission: write },
      summary: `Deletes a file on a record (${type}). This cannot be undone.`,
      params: fileParams,
      response: z.object({}),
      errors: [attachmentErrors.notFound, attachmentErrors.tooOften],
    }),
  };
}
