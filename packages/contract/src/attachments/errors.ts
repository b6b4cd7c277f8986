import { defineErrors } from '../route.ts';
import { defineTexts } from '../texts/text.ts';
import { kilobyte } from '../texts/size.ts';

/** Time within which deleted files can be restored. */
export const undoMinutes = 5;

/** Maximum size of a thumbnail; `pixels` applies to width and height. */
export const thumbnailMaximum = { bytes: 12 * kilobyte, pixels: 256 };

/** Limits per person. `changes` are renames, shares and deletions. */
export const filesPerHour = { uploads: 5_000, changes: 20_000, links: 20_000 };
/** Limits per person and day, because each action is recorded in the activity log. */
export const filesPerDay = { uploads: 20_000, changes: 40_000, links: 40_000 };

/** Maximum number of files per person, including empty ones. */
export const filesMaximum = 100_000;

export const attachmentErrors = defineErrors('attachment', {
  400: {
    zipTooLarge:
      'These files are too large for one ZIP file (4 GB). Download them in smaller groups or one by one.',
    thumbnailUnusable: `A thumbnail must be a WebP, JPEG or PNG of at most ${thumbnailMaximum.bytes / kilobyte} kB and ${thumbnailMaximum.pixels} pixels on either side.`,
  },
  403: {
    ownerOnly: 'Only the person who uploaded this file can do that. Ask them.',
    linkInvalid: 'This link has expired. Go back to the attachments and open the file again.',
  },
  404: {
    /** Also returned for files that the caller may not see. */
    notFound: 'This file does not exist or is not shared with you. Ask the person who sent you here.',
  },
  409: {
    changed: 'This file has changed since you opened it. Review the changes, then try again.',
    unknownPeople: 'Someone you chose is no longer a member. Remove them from the list and try again.',
    undoTooLate: `This can no longer be undone: deleted files are kept for ${undoMinutes} minutes.`,
    scanning: 'This file is still being checked for viruses. Try again in a minute.',
    quarantined:
      'A virus was found in this file, so it cannot be opened. Delete it, and check where it came from.',
  },
  410: {
    missing:
      'The contents of this file are lost or damaged on the server. Tell support, and upload it again if you have a copy.',
  },
  416: { rangeInvalid: 'The file does not have this part. Start the download again.' },
  429: { tooOften: 'Too many files within an hour or a day. Try the rest later.' },
  503: {
    storageUnavailable:
      'The file storage cannot be reached right now. Nothing is lost. Try again in a minute.',
  },
});

export const attachmentSkipped = defineTexts('attachment_skipped', {
  gone: 'No longer exists.',
  notYours: 'Belongs to someone else.',
  notReadable: 'You cannot open it.',
});

export const uploadErrors = {
  ...defineErrors('upload', {
    400: {
      /** For `Upload-Length`, `Upload-Offset`, and bodies longer than announced. */
      lengthInvalid: 'State the length of the file in bytes (Upload-Length), and send no more than that.',
      metadataInvalid:
        'Upload-Metadata is invalid. It must contain name, and may contain type and sha256, each base64-encoded.',
    },
    404: { notFound: 'This upload does not exist or was removed. Upload the file again.' },
    409: {
      offsetMismatch: 'The upload is at a different offset. Get it with HEAD, then continue from there.',
    },
    412: { versionUnsupported: 'Uploads use version 1.0.0 of the tus protocol (header Tus-Resumable).' },
    413: {
      fileTooLarge: 'This file is too large: {size}. The limit is {sizeLimit}.',
      quotaReached: `There is not enough space for this file: it needs {size}, and you have {freeSpace} of {space} left. Delete files you no longer need. Deleted files free up their space after ${undoMinutes} minutes ({deletedSpace} pending).`,
      siteFull: 'This site does not have enough space for this file. Tell an administrator.',
      tooManyFiles: `You have reached the limit of ${filesMaximum.toLocaleString('en')} files. Delete some that you no longer need.`,
    },
    423: { busy: 'Another connection is still sending this file. Try again in a few seconds.' },
    429: {
      tooManyUnfinished: 'You have too many unfinished uploads. Finish or cancel some of them first.',
      tooOften: 'Too many files within an hour or a day. Try the rest later.',
    },
    460: { hashMismatch: 'The file was damaged on the way: its SHA-256 does not match. Upload it again.' },
    507: {
      storageFull:
        'The server is out of space. What you have uploaded so far is kept. Tell an administrator and continue later.',
    },
  }),
  storageUnavailable: attachmentErrors.storageUnavailable,
} as const;
