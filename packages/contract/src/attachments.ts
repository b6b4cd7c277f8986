/**
 * Attachments: files that people keep here and share with each other.
 *
 * Files come in at `uploadsPath` by the tus protocol 1.0 (https://tus.io/protocols/resumable-upload) with its extensions
 * creation, creation-with-upload and termination, and with the bearer token of any other call. Its errors are
 * JSON as everywhere: `uploadErrors`. `Upload-Metadata` holds `name`, and may hold `type` (the media type
 * that the browser believes in) and `sha256` (64 hexadecimal digits, compared at the end). An upload's id is the id that
 * its attachment will have: once all bytes are there, `getAttachment` answers.
 *
 * Files go out at `filesPath` by links, which a browser can open without a token: `linkToAttachments`. The small picture of
 * one that has it (`thumbnail`) is at the path of `setThumbnail` (GET), with the bearer token.
 */
import * as z from 'zod/mini';
import { attachmentErrors, thumbnailMaximum, undoMinutes } from './attachments/errors.ts';
import { fieldTexts } from './texts/field-texts.ts';
import { FileName } from './rules/file-name.ts';
import { requestErrors } from './request-errors.ts';
import { defineRoute } from './route.ts';
import { schemaMessage } from './texts/text.ts';
import {
  Id,
  lineOfText,
  listQuery,
  Moment,
  page,
  seenVersion,
  selectionAnswer,
  selectionErrors,
  selectionOf,
  Skipped,
} from './values.ts';
import { listedIdsMaximum, emailMaximumLength } from './rules/limits.ts';
import { kilobyte } from './texts/size.ts';

/** Where uploads begin (POST) and, followed by `/` and their id, go on (HEAD, PATCH, DELETE). */
export const uploadsPath = '/api/attachments/uploads';
/** How many bytes of an upload, sent at once, a proxy between has just refused (413): what goes on with smaller pieces says so. */
export const rejectedChunkHeader = 'vestibule-refused-piece';
/** What the addresses of links begin with. */
export const filesPath = '/files';

/** An upload that nobody has gone on with for so long is taken away, in hours. */
export const uploadLifetimeHours = 24;
/** How long a link works, in minutes. */
export const linkMinutes = 10;
/** The most people that a file is shared with by name. */
export const sharedWithMaximum = 1_000;

/** As what a file can be shown. Decided by the server, which has looked at its first bytes. */
export const AttachmentKind = z.enum(['picture', 'pdf', 'text', 'audio', 'video', 'other']);
export type AttachmentKind = z.output<typeof AttachmentKind>;

/** With whom: nobody but the owner, everyone inside (also those who come later), or people by name. */
export const Sharing = z.enum(['nobody', 'everyone', 'people']);
export type Sharing = z.output<typeof Sharing>;

/**
 * `scanning`: not yet checked for viruses; only the owner and administrators see it. `quarantined`: has one; likewise.
 * `missing`: its contents were not found on the storage, or damaged.
 */
export const AttachmentStatus = z.enum(['ready', 'scanning', 'quarantined', 'missing']);
export type AttachmentStatus = z.output<typeof AttachmentStatus>;

export const Attachment = z.object({
  id: Id,
  name: z.string(),
  /** The media type, such as `image/png`. Decided by the server. */
  type: z.string(),
  kind: AttachmentKind,
  /** In bytes. */
  size: z.number(),
  /** Of its contents, 64 hexadecimal digits. */
  sha256: z.string(),
  /** Null when the owner has been removed. */
  ownerId: z.nullable(Id),
  ownerName: z.string(),
  ownerEmail: z.string(),
  sharing: Sharing,
  /** How many people it is shared with by name. */
  sharedCount: z.number(),
  /** Who finds it when they accept their open invitation, told to its owner and to administrators: how many, and the first few: their addresses, and what they are called (the address where nobody knows). */
  waitedFor: z.object({ count: z.number(), emails: z.array(z.string()), names: z.array(z.string()) }),
  createdAt: Moment,
  status: AttachmentStatus,
  /** What the scanner called it; null unless quarantined. */
  virus: z.nullable(z.string()),
  /** Whether there is a small picture of it that the caller may see. */
  thumbnail: z.boolean(),
  /** Grows with each change; sent back with a change, it tells whether somebody else was quicker. */
  version: z.number(),
  /** What the caller may do with it. `open`: see and download its contents. */
  may: z.object({ open: z.boolean(), rename: z.boolean(), share: z.boolean(), delete: z.boolean() }),
});
export type Attachment = z.output<typeof Attachment>;

/** What the list is sorted by. */
const sortedBy = [
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
 * What the list is filtered by. `owner` is one of `mine`, `shared` (with me, by name or with everyone) and, for
 * administrators, `others` (neither); `ownerId` one of the ids of people.
 */
const attachmentColumns = [...sortedBy, 'owner', 'ownerId'] as const;
export type AttachmentColumn = (typeof attachmentColumns)[number];

export const listAttachments = defineRoute('GET /api/attachments', {
  access: 'member',
  summary:
    'Files, paged, sorted, searched and filtered: my own and those shared with me. Administrators see all files, but cannot open all of them.',
  query: listQuery(sortedBy, attachmentColumns),
  answer: page(Attachment),
});

/** The query of the newest files that somebody may open. */
export const latestFiles = {
  limit: 5,
  filters: JSON.stringify([{ column: 'owner', is: 'oneOf', values: ['mine', 'shared'] }]),
};

const oneAttachment = z.object({ attachmentId: Id });

export const getAttachment = defineRoute('GET /api/attachments/:attachmentId', {
  access: 'member',
  summary: 'One file, without its contents.',
  params: oneAttachment,
  answer: Attachment,
  errors: [attachmentErrors.notFound],
});

export const renameAttachment = defineRoute('POST /api/attachments/:attachmentId/name', {
  access: 'member',
  summary: 'Renames a file. Two files may have the same name.',
  params: oneAttachment,
  query: seenVersion,
  body: z.strictObject({ name: FileName }),
  answer: Attachment,
  errors: [
    attachmentErrors.notFound,
    attachmentErrors.ownerOnly,
    attachmentErrors.changed,
    attachmentErrors.tooOften,
  ],
});

export const setThumbnail = defineRoute('PUT /api/attachments/:attachmentId/thumbnail', {
  access: 'member',
  summary: 'Sets the thumbnail of one of my pictures, shown in lists. Only the first one counts.',
  params: oneAttachment,
  body: z.strictObject({
    /** WebP, JPEG or PNG, as base64; at most `thumbnailMaximum`. */
    picture: z
      .base64('Send the thumbnail as base64.')
      .check(
        z.maxLength(
          Math.ceil(thumbnailMaximum.bytes / 3) * 4,
          `A thumbnail can be at most ${thumbnailMaximum.bytes / kilobyte} kB.`,
        ),
      ),
  }),
  answer: Attachment,
  errors: [
    attachmentErrors.notFound,
    attachmentErrors.ownerOnly,
    attachmentErrors.thumbnailUnusable,
    attachmentErrors.tooOften,
  ],
});

/** Its sentence is made when it is wanted: what is read at once stays in the browser's build. */
const sharedWith = z.array(Id).check(
  z.maxLength(sharedWithMaximum, {
    error: () => schemaMessage(fieldTexts.tooManyPeople, { maximum: sharedWithMaximum }),
  }),
);

export const shareAttachment = defineRoute('POST /api/attachments/:attachmentId/sharing', {
  access: 'member',
  summary: 'Sets who a file is shared with: nobody, everyone, or exactly these people.',
  params: oneAttachment,
  query: seenVersion,
  body: z.strictObject({
    sharing: Sharing,
    /** Of `people`: all of them, not only new ones. */
    personIds: z._default(sharedWith, []),
    /**
     * Open invitations whose people shall find the file when they come in: all of them, for administrators only. Left out, what
     * invitations carry stays.
     */
    invitationIds: z.optional(sharedWith),
  }),
  answer: Attachment,
  errors: [
    attachmentErrors.notFound,
    attachmentErrors.ownerOnly,
    attachmentErrors.changed,
    attachmentErrors.unknownPeople,
    attachmentErrors.tooOften,
  ],
});

/** Somebody as they are named where files are shared. `invited`: the id is that of their open invitation. */
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
  params: oneAttachment,
  answer: z.object({ sharing: Sharing, people: z.array(ShareablePerson) }),
  errors: [attachmentErrors.notFound, attachmentErrors.ownerOnly],
});

export const findPeopleToShareWith = defineRoute('GET /api/attachments/people', {
  access: 'member',
  summary:
    'People to share with. Administrators get those whose name or address contains the text, at most 10, and 5 who are invited; members get the one with exactly this address.',
  query: z.object({
    search: lineOfText(emailMaximumLength).check(z.minLength(1, 'Enter an e-mail address.')),
  }),
  answer: z.object({ people: z.array(ShareablePerson) }),
  errors: [requestErrors.tooMany],
});

/** Names one deletion, of one file or many, so that it can be undone as it was done. */
const deletion = { deletionId: Id, undoUntil: Moment };

export const deleteAttachment = defineRoute('DELETE /api/attachments/:attachmentId', {
  access: 'member',
  summary: `Deletes a file. This can be undone for ${undoMinutes} minutes.`,
  params: oneAttachment,
  query: seenVersion,
  answer: z.object(deletion),
  errors: [
    attachmentErrors.notFound,
    attachmentErrors.ownerOnly,
    attachmentErrors.changed,
    attachmentErrors.tooOften,
  ],
});

export const undoDeletion = defineRoute('POST /api/attachments/deletions/:deletionId/undo', {
  access: 'member',
  summary: 'Restores what one deletion removed, shared as before.',
  params: z.object({ deletionId: Id }),
  answer: z.object({ restored: z.number() }),
  errors: [attachmentErrors.undoTooLate],
});

export const AttachmentsAction = z.enum(['delete', 'shareWithEveryone', 'stopSharing']);
export type AttachmentsAction = z.output<typeof AttachmentsAction>;

export const actOnAttachments = defineRoute('POST /api/attachments/actions', {
  access: 'member',
  summary: 'Does the same to many files. Lists those that were skipped, with the reason.',
  body: z.strictObject({ action: AttachmentsAction, selection: selectionOf(attachmentColumns) }),
  answer: z.extend(selectionAnswer(attachmentColumns), {
    /** Of `delete`, when something was deleted by this call. */
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
     * `download` is saved as a file. `preview` is of one file and is shown where that is safe: pictures, plain text, audio
     * and video by their address; a PDF only to a program that draws it (fetch); of any other kind it is a download. Both
     * stand in the activity log: each download, and that somebody looked at a file once a day.
     */
    purpose: z.enum(['download', 'preview']),
  }),
  answer: z.object({
    /** An address on this site, for `href`, `src` or `fetch`. Takes range requests; its ETag is the file's SHA-256. */
    path: z.string(),
    until: Moment,
    /** What is left out of a ZIP, because it cannot be opened at the moment; at most 100. */
    skipped: z.array(Skipped),
  }),
  errors: [
    attachmentErrors.notFound,
    attachmentErrors.scanning,
    attachmentErrors.quarantined,
    attachmentErrors.missing,
    attachmentErrors.zipTooLarge,
    attachmentErrors.tooOften,
  ],
});

export const Upload = z.object({
  id: Id,
  name: z.string(),
  /** Both in bytes. `received` may be behind while bytes arrive. */
  size: z.number(),
  received: z.number(),
  createdAt: Moment,
  /** Taken away then unless somebody goes on with it. */
  expiresAt: Moment,
});
export type Upload = z.output<typeof Upload>;

export const listUploads = defineRoute(`GET ${uploadsPath}`, {
  access: 'member',
  summary: 'My unfinished uploads, newest first, up to 100.',
  answer: z.object({ rows: z.array(Upload) }),
});

export const getUsage = defineRoute('GET /api/attachments/usage', {
  access: 'member',
  summary: 'How much space my files and all files take up, and how much there is, in bytes.',
  answer: z.object({
    /**
     * `used` holds what is unfinished, by its announced size, and what was deleted and can still be brought back. Of that,
     * `deleted` frees its space when it no longer can.
     */
    mine: z.object({ used: z.number(), deleted: z.number(), quota: z.number(), files: z.number() }),
    /** `used` also holds what was deleted and can still be brought back. */
    all: z.object({ used: z.number(), quota: z.number() }),
    /** The largest file that is taken. */
    fileMaximum: z.number(),
    /** Whether files are checked for viruses. */
    scanned: z.boolean(),
  }),
});
