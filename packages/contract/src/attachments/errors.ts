/** What can go wrong with files that people keep here, and with their uploads. */
import { defineErrors } from '../route.ts';
import { defineTexts } from '../texts/text.ts';

/** How long a deletion can be undone, in minutes. Afterwards the files are gone. */
export const undoMinutes = 5;

/** The most that the small picture of a file may have: in bytes, and in pixels on either side. */
export const thumbnailMaximum = { bytes: 12_000, pixels: 256 };

/** How many files somebody uploads, changes (renames, shares, deletes) and gets links to within an hour. */
export const filesPerHour = { uploads: 5_000, changes: 20_000, links: 20_000 };

export const attachmentErrors = defineErrors({
  /** Also for a file that somebody may not see. */
  notFound: {
    code: 'attachment.not_found',
    status: 404,
    message: 'This file does not exist or is not shared with you. Ask the person who sent you here.',
  },
  ownerOnly: {
    code: 'attachment.owner_only',
    status: 403,
    message: 'Only the person who uploaded this file can do that. Ask them.',
  },
  changed: {
    code: 'attachment.changed',
    status: 409,
    message: 'This file has changed since you opened it. Review the changes, then try again.',
  },
  unknownPeople: {
    code: 'attachment.unknown_people',
    status: 409,
    message: 'Someone you chose is no longer a member. Remove them from the list and try again.',
  },
  undoTooLate: {
    code: 'attachment.undo_too_late',
    status: 409,
    message: `This can no longer be undone: deleted files are kept for ${undoMinutes} minutes.`,
  },
  scanning: {
    code: 'attachment.scanning',
    status: 409,
    message: 'This file is still being checked for viruses. Try again in a minute.',
  },
  quarantined: {
    code: 'attachment.quarantined',
    status: 409,
    message:
      'A virus was found in this file, so nobody can open it. Delete it, and check where it came from.',
  },
  missing: {
    code: 'attachment.missing',
    status: 410,
    message:
      'The contents of this file are lost or damaged on the server. Tell support, and upload it again if you have a copy.',
  },
  linkInvalid: {
    code: 'attachment.link_invalid',
    status: 403,
    message: 'This link has expired. Go back to the attachments and open the file again.',
  },
  rangeInvalid: {
    code: 'attachment.range_invalid',
    status: 416,
    message: 'The file does not have this part. Start the download again.',
  },
  zipTooLarge: {
    code: 'attachment.zip_too_large',
    status: 400,
    message:
      'These files are too large for one ZIP file (4 GB). Download them in smaller groups or one by one.',
  },
  thumbnailUnusable: {
    code: 'attachment.thumbnail_unusable',
    status: 400,
    message: `A thumbnail must be a WebP, JPEG or PNG of at most ${thumbnailMaximum.bytes / 1000} kB and ${thumbnailMaximum.pixels} pixels on either side.`,
  },
  /** With Retry-After. */
  tooOften: {
    code: 'attachment.too_often',
    status: 429,
    message: 'Too many files in the last hour. Try the rest later.',
  },
  storageUnavailable: {
    code: 'attachment.storage_unavailable',
    status: 503,
    message: 'The file storage cannot be reached right now. Nothing is lost. Try again in a minute.',
  },
});

/** Why an action on many left a file as it is. */
export const attachmentSkipped = defineTexts('attachment_skipped', {
  gone: 'No longer exists.',
  notYours: 'Belongs to someone else.',
  notReadable: 'You cannot open it.',
});

/** What an upload can answer besides. */
export const uploadErrors = defineErrors({
  notFound: {
    code: 'upload.not_found',
    status: 404,
    message: 'This upload does not exist or was removed. Upload the file again.',
  },
  /** Of `Upload-Length`, `Upload-Offset` and bodies longer than announced. */
  lengthInvalid: {
    code: 'upload.length_invalid',
    status: 400,
    message: 'State the length of the file in bytes (Upload-Length), and send no more than that.',
  },
  metadataInvalid: {
    code: 'upload.metadata_invalid',
    status: 400,
    message:
      'Upload-Metadata is invalid. It must contain name, and may contain type and sha256, each base64-encoded.',
  },
  fileTooLarge: {
    code: 'upload.file_too_large',
    status: 413,
    message: 'This file is too large: {size}. The limit is {sizeLimit}.',
  },
  quotaReached: {
    code: 'upload.quota_reached',
    status: 413,
    message: `There is not enough space for this file: it needs {size}, and you have {freeSpace} of {space} left. Delete files you no longer need. Deleted files free up their space after ${undoMinutes} minutes ({deletedSpace} pending).`,
  },
  siteFull: {
    code: 'upload.site_full',
    status: 413,
    message: 'This site does not have enough space for this file. Tell an administrator.',
  },
  tooManyUnfinished: {
    code: 'upload.too_many_unfinished',
    status: 429,
    message: 'You have too many unfinished uploads. Finish or cancel some of them first.',
  },
  /** With Retry-After. */
  tooOften: {
    code: 'upload.too_often',
    status: 429,
    message: 'Too many files in the last hour. Try the rest later.',
  },
  offsetMismatch: {
    code: 'upload.offset_mismatch',
    status: 409,
    message: 'The upload is at a different offset. Get it with HEAD, then continue from there.',
  },
  /** Two connections write to one upload: the older one is asked to stop and did not in time. */
  busy: {
    code: 'upload.busy',
    status: 423,
    message: 'Another connection is still sending this file. Try again in a few seconds.',
  },
  hashMismatch: {
    code: 'upload.hash_mismatch',
    status: 460,
    message: 'The file was damaged on the way: its SHA-256 does not match. Upload it again.',
  },
  versionUnsupported: {
    code: 'upload.version_unsupported',
    status: 412,
    message: 'Uploads use version 1.0.0 of the tus protocol (header Tus-Resumable).',
  },
  storageFull: {
    code: 'upload.storage_full',
    status: 507,
    message:
      'The server is out of space. What you have uploaded so far is kept. Tell an administrator and continue later.',
  },
  storageUnavailable: attachmentErrors.storageUnavailable,
});
