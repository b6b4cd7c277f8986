/**
 * Attachments: uploaded files and their shares.
 *
 * `uploadsPath` accepts uploads by the tus protocol 1.0 (https://tus.io/protocols/resumable-upload) with the extensions creation,
 * creation-with-upload and termination. Errors are JSON: `uploadErrors`. `Upload-Metadata` contains `name` and optionally `type`
 * (media type) and `sha256` (64 hexadecimal digits, compared at the end). The id of an upload is the id of its attachment.
 *
 * `filesPath` serves contents by links that need no token (`linkToAttachments`). GET on the path of `setThumbnail` returns a thumbnail.
 */
import * as z from 'zod/mini';
import { attachmentErrors, thumbnailMaximum, undoMinutes } from './attachments/errors.ts';
import { fieldTexts } from './texts/field-texts.ts';
import { FileName } from './rules/file-name.ts';
import { requestErrors } from './request-errors.ts';
import { defineRoute, errorsOf } from './route.ts';
import { schemaMessage } from './texts/text.ts';
import {
  Id,
  lineOfText,
  listQuery,
  Moment,
  page,
  expectedVersion,
  selectionResult,
  selectionErrors,
  selectionSchema,
  Skipped,
} from './values.ts';
import { listedIdsMaximum, emailMaximumLength } from './rules/limits.ts';
import { kilobyte } from './texts/size.ts';

/** POST creates an upload; HEAD, PATCH and DELETE with `/<id>` continue and cancel it. */
export const uploadsPath = '/api/attachments/uploads';
export const filesPath = '/files';

/** Unfinished uploads are deleted after this time without progress. */
export const uploadLifetimeHours = 24;
export const linkMinutes = 10;
export const sharedWithMaximum = 1_000;

/** Kind of preview. The server determines it from the first bytes of the file. */
export const AttachmentKind = z.enum(['picture', 'pdf', 'text', 'audio', 'video', 'other']);
export type AttachmentKind = z.output<typeof AttachmentKind>;

/** Access of people other than the owner: none, all current and future members, or individual people. */
export const sharingModes = { private: 'nobody', everyone: 'everyone', people: 'people' } as const;
export const Sharing = z.enum(sharingModes);
export type Sharing = z.output<typeof Sharing>;

/**
 * `scanning`: the virus scan is pending. `quarantined`: a virus was found. Only the owner and administrators see files in these two states.
 * `missing`: the contents are missing in the storage or damaged.
 */
export const AttachmentStatus = z.enum(['ready', 'scanning', 'quarantined', 'missing']);
export type AttachmentStatus = z.output<typeof AttachmentStatus>;

export const Attachment = z.object({
  id: Id,
  name: z.string(),
  /** Media type, such as `image/png`, determined by the server. */
  type: z.string(),
  kind: AttachmentKind,
  size: z.number(),
  sha256: z.string(),
  ownerId: z.nullable(Id),
  ownerName: z.string(),
  ownerEmail: z.string(),
  sharing: Sharing,
  sharedCount: z.number(),
  /**
   * Open invitations whose invitees get access when they join: their number, and the first few addresses and names. Visible to the owner
   * and administrators.
   */
  waitedFor: z.object({ count: z.number(), emails: z.array(z.string()), names: z.array(z.string()) }),
  createdAt: Moment,
  status: AttachmentStatus,
  virus: z.nullable(z.string()),
  thumbnail: z.boolean(),
  /** Incremented with each change. Changes that send it fail if it is outdated. */
  version: z.number(),
  /** Permissions of the caller. `open`: view and download the contents. */
  may: z.object({ open: z.boolean(), rename: z.boolean(), share: z.boolean(), delete: z.boolean() }),
});
export type Attachment = z.output<typeof Attachment>;

const sortColumns = [
  'name',
  'type',
  'kind',
  'size',
  'ownerName',
  'ownerEmail',
  'sharing',
  'createdAt',
  'status',
] as const;

/**
 * Columns for filters. `owner` has the values `mine`, `shared` (with the caller or with everyone) and, for administrators, `others`
 * (neither of these). `ownerId` is the id of a person.
 */
const attachmentColumns = [...sortColumns, 'owner', 'ownerId'] as const;
export type AttachmentColumn = (typeof attachmentColumns)[number];

export const listAttachments = defineRoute('GET /api/attachments', {
  access: 'member',
  summary:
    'Files, paged, sorted, searched and filtered: my own and those shared with me. Administrators see all files, but cannot open all of them.',
  query: listQuery(sortColumns, attachmentColumns),
  response: page(Attachment),
});

export const latestFilesParameters = {
  limit: 5,
  filters: JSON.stringify([{ column: 'owner', is: 'oneOf', values: ['mine', 'shared'] }]),
};

const attachmentParams = z.object({ attachmentId: Id });

export const getAttachment = defineRoute('GET /api/attachments/:attachmentId', {
  access: 'member',
  summary: 'One file, without its contents.',
  params: attachmentParams,
  response: Attachment,
  errors: [attachmentErrors.notFound],
});

export const renameAttachment = defineRoute('POST /api/attachments/:attachmentId/name', {
  access: 'member',
  summary: 'Renames a file. Two files may have the same name.',
  params: attachmentParams,
  query: expectedVersion,
  body: z.strictObject({ name: FileName }),
  response: Attachment,
  errors: errorsOf(attachmentErrors, 'notFound', 'ownerOnly', 'changed', 'tooOften'),
});

export const setThumbnail = defineRoute('PUT /api/attachments/:attachmentId/thumbnail', {
  access: 'member',
  summary: 'Sets the thumbnail of one of my pictures, shown in lists. Only the first one counts.',
  params: attachmentParams,
  body: z.strictObject({
    picture: z
      .base64('Send the thumbnail as base64.')
      .check(
        z.maxLength(
          Math.ceil(thumbnailMaximum.bytes / 3) * 4,
          `A thumbnail can be at most ${thumbnailMaximum.bytes / kilobyte} kB.`,
        ),
      ),
  }),
  response: Attachment,
  errors: errorsOf(attachmentErrors, 'notFound', 'ownerOnly', 'thumbnailUnusable', 'tooOften'),
});

/** The error is a function because calls at module level would stay in the browser's build. */
const personIdList = z.array(Id).check(
  z.maxLength(sharedWithMaximum, {
    error: () => schemaMessage(fieldTexts.tooManyPeople, { maximum: sharedWithMaximum }),
  }),
);

export const shareAttachment = defineRoute('POST /api/attachments/:attachmentId/sharing', {
  access: 'member',
  summary: 'Sets who a file is shared with: no one, everyone, or exactly these people.',
  params: attachmentParams,
  query: expectedVersion,
  body: z.strictObject({
    sharing: Sharing,
    /** For `people`: all people to share with, including those who already have access. */
    personIds: z._default(personIdList, []),
    /**
     * All open invitations that grant access to the file. Only administrators may send this. If it is absent, the invitations are not
     * changed.
     */
    invitationIds: z.optional(personIdList),
  }),
  response: Attachment,
  errors: errorsOf(attachmentErrors, 'notFound', 'ownerOnly', 'changed', 'unknownPeople', 'tooOften'),
});

/** Person or invitee in share dialogs. If `invited` is true, the id is that of the open invitation. */
export const ShareablePerson = z.object({
  id: Id,
  displayName: z.string(),
  email: z.string(),
  invited: z.boolean(),
});
export type ShareablePerson = z.output<typeof ShareablePerson>;

export const listShares = defineRoute('GET /api/attachments/:attachmentId/sharing', {
  access: 'member',
  summary: 'Who a file is shared with by name. For its owner and administrators.',
  params: attachmentParams,
  response: z.object({ version: z.number(), sharing: Sharing, people: z.array(ShareablePerson) }),
  errors: [attachmentErrors.notFound, attachmentErrors.ownerOnly],
});

export const findPeopleToShareWith = defineRoute('GET /api/attachments/people', {
  access: 'member',
  summary:
    'People to share with. Administrators get those whose name or address contains the text, at most 10, and 5 who are invited; members get the one with exactly this address.',
  query: z.object({
    search: lineOfText(emailMaximumLength).check(z.minLength(1, 'Enter an e-mail address.')),
  }),
  response: z.object({ people: z.array(ShareablePerson) }),
  errors: [requestErrors.tooMany],
});

const deletion = { deletionId: Id, undoUntil: Moment };

export const deleteAttachment = defineRoute('DELETE /api/attachments/:attachmentId', {
  access: 'member',
  summary: `Deletes a file. This can be undone for ${undoMinutes} minutes.`,
  params: attachmentParams,
  query: expectedVersion,
  response: z.object(deletion),
  errors: errorsOf(attachmentErrors, 'notFound', 'ownerOnly', 'changed', 'tooOften'),
});

export const undoDeletion = defineRoute('POST /api/attachments/deletions/:deletionId/undo', {
  access: 'member',
  summary: 'Restores what one deletion removed, shared as before.',
  params: z.object({ deletionId: Id }),
  response: z.object({ restored: z.number() }),
  errors: [attachmentErrors.undoTooLate],
});

export const AttachmentsAction = z.enum(['delete', 'shareWithEveryone', 'stopSharing']);
export type AttachmentsAction = z.output<typeof AttachmentsAction>;

export const actOnAttachments = defineRoute('POST /api/attachments/actions', {
  access: 'member',
  summary: 'Does the same to many files. Lists those that were skipped, with the reason.',
  body: z.strictObject({ action: AttachmentsAction, selection: selectionSchema(attachmentColumns) }),
  response: z.extend(selectionResult(attachmentColumns), {
    /** Only for `delete`: set if this call deleted a file. */
    deletion: z.nullable(z.object(deletion)),
  }),
  errors: [selectionErrors.tooLarge, selectionErrors.changed, attachmentErrors.tooOften],
});

export const linkToAttachments = defineRoute('POST /api/attachments/links', {
  access: 'member',
  summary: `A link to a file's contents, or to several files as a ZIP. It works for ${linkMinutes} minutes, as long as the caller may see them.`,
  body: z.strictObject({
    attachmentIds: z
      .array(Id)
      .check(
        z.minLength(1, 'Choose at least one file.'),
        z.maxLength(listedIdsMaximum, `Choose at most ${listedIdsMaximum} files at once.`),
      ),
    /**
     * `preview` applies to one file and serves pictures, plain text, audio and video inline, PDFs for fetch only, and other kinds
     * as a download. The activity log records each download, and previews once per person, file and day.
     */
    purpose: z.enum(['download', 'preview']),
  }),
  response: z.object({
    /** Path for `href`, `src` or `fetch`. Supports range requests; the ETag is the SHA-256 of the file. */
    path: z.string(),
    until: Moment,
    /** Files missing in the ZIP because they cannot be read now; at most 100. */
    skipped: z.array(Skipped),
  }),
  errors: errorsOf(
    attachmentErrors,
    'notFound',
    'scanning',
    'quarantined',
    'missing',
    'zipTooLarge',
    'tooOften',
  ),
});

export const Upload = z.object({
  id: Id,
  name: z.string(),
  /** Size in bytes. `received` may be lower than the actual number while bytes arrive. */
  size: z.number(),
  received: z.number(),
  createdAt: Moment,
  expiresAt: Moment,
});
export type Upload = z.output<typeof Upload>;

export const listUploads = defineRoute(`GET ${uploadsPath}`, {
  access: 'member',
  summary: 'My unfinished uploads, newest first, up to 100.',
  response: z.object({ rows: z.array(Upload) }),
});

export const getUsage = defineRoute('GET /api/attachments/usage', {
  access: 'member',
  summary: 'How much space my files and all files take up, and how much there is, in bytes.',
  response: z.object({
    /** `used` includes unfinished uploads with their announced size, and deleted files that can still be restored (`deleted`). */
    mine: z.object({ used: z.number(), deleted: z.number(), quota: z.number(), files: z.number() }),
    /** `used` includes deleted files that can still be restored. */
    all: z.object({ used: z.number(), quota: z.number() }),
    fileMaximum: z.number(),
    scanned: z.boolean(),
  }),
});
