/**
 * Signed tickets for file links, which browsers open without an access token. Permissions are checked at each use. During a
 * rolling update, processes of 1.0.0 read and write the same format, so its change needs two releases.
 */
import { timingSafeEqual } from 'node:crypto';
import { createKeyedHash } from '../../../platform/identity/keyed-hash.ts';
import { attachmentErrors } from '@vestibule/contract/attachments/errors';
import { filesPath, linkMinutes } from '@vestibule/contract/attachments';
import type { CoreDeps } from '../../../platform/database/database.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { fail } from '../../../platform/errors/failure.ts';
import type { Caller } from '../../../platform/http/implement.ts';
import { attachmentAudit, type ActionContext } from '../files/attachment-changes.ts';
import type { AttachmentRow } from '../files/attachment-store.ts';

const purposes = ['download', 'preview', 'zip'] as const;

export type Ticket = {
  purpose: (typeof purposes)[number];
  expiresAtMs: number;
  personId: string;
  /** Sign-in time in milliseconds since 1970. The link is invalid after that sign-in ends. */
  signedInAt: number;
  /** Session that created the link and whose end invalidates it; null for a token. */
  sessionId: string | null;
  /** Id of the attachment, or of the bundle for `zip`. */
  targetId: string;
};

export type FileTickets = { write(ticket: Ticket): string; read(text: string): Ticket | null };

const contentBytes = 61;
const macBytes = 16;
const maxTime = 2 ** 48 - 1;
/** Session of a link that an access token created (RFC 9562, section 5.9). */
const noSession = '00000000-0000-0000-0000-000000000000';

export function createFileTickets(deps: { secret: Buffer; now: () => number }): FileTickets {
  const keyedHash = createKeyedHash(deps.secret, 'vestibule file tickets');
  const macOf = (content: Buffer) => keyedHash(content).subarray(0, macBytes);

  return {
    write({ purpose, expiresAtMs, personId, signedInAt, sessionId, targetId }) {
      const content = Buffer.alloc(contentBytes);
      content[0] = purposes.indexOf(purpose);
      content.writeUIntBE(expiresAtMs, 1, 6);
      writeUuid(content, personId, 7);
      writeUuid(content, targetId, 23);
      // The provider reports the time of the sign-in, which can be any number.
      content.writeUIntBE(Math.min(Math.max(Math.trunc(signedInAt), 0), maxTime), 39, 6);
      writeUuid(content, sessionId ?? noSession, 45);
      return Buffer.concat([content, macOf(content)]).toString('base64url');
    },

    read(text) {
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length !== contentBytes + macBytes || bytes.toString('base64url') !== text) return null;
      const content = bytes.subarray(0, contentBytes);
      if (!timingSafeEqual(macOf(content), bytes.subarray(contentBytes))) return null;
      const purpose = purposes[content[0] as number];
      const expiresAtMs = content.readUIntBE(1, 6);
      if (expiresAtMs <= deps.now() || purpose === undefined) return null;
      const sessionId = readUuid(content, 45);
      return {
        purpose,
        expiresAtMs,
        personId: readUuid(content, 7),
        signedInAt: content.readUIntBE(39, 6),
        sessionId: sessionId === noSession ? null : sessionId,
        targetId: readUuid(content, 23),
      };
    },
  };
}

function writeUuid(bytes: Buffer, uuid: string, start: number): void {
  bytes.write(uuid.replaceAll('-', ''), start, 'hex');
}

function readUuid(bytes: Buffer, start: number): string {
  const hex = bytes.toString('hex', start, start + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Throws if the file is being scanned, in quarantine or missing. */
export function assertFileReady({ status }: AttachmentRow): void {
  if (status !== 'ready') throw fail(attachmentErrors[status]);
}

/** Returns a link to one file, and records the download, or the view once a day per person and file. */
export type CreateLink = (
  file: AttachmentRow,
  purpose: 'download' | 'preview',
  call: ActionContext,
) => Promise<{ path: string; until: string }>;

/** Returns the path of a link that ends at `until`. */
export function linkPath(
  tickets: FileTickets,
  purpose: 'download' | 'preview' | 'zip',
  { targetId, caller, until }: { targetId: string; caller: Caller; until: number },
): string {
  const { signedInAt = 0, session: sessionId = null } = caller;
  const ticket = { purpose, expiresAtMs: until, personId: caller.id, signedInAt, sessionId, targetId };
  return `${filesPath}/${tickets.write(ticket)}`;
}

export function createLinks(deps: CoreDeps & { tickets: FileTickets }): CreateLink {
  const { database, tickets, now } = deps;
  const viewLimit = createRateLimit(deps, { name: 'look at a file', maximum: 1, windowSeconds: 24 * 3_600 });

  const recordView = (file: AttachmentRow, call: ActionContext): Promise<void> =>
    database.transaction(async (transaction) => {
      if ((await viewLimit.take(`${call.caller.id} ${file.id}`, 1, transaction)) > 0) return;
      await attachmentAudit.record(transaction, file, 'attachment.viewed', call);
    });

  return async (file, purpose, call) => {
    assertFileReady(file);
    const isPreview = purpose === 'preview' && file.kind !== 'other';
    if (isPreview) await recordView(file, call);
    else await attachmentAudit.record(database, file, 'attachment.downloaded', call);
    const until = now() + linkMinutes * 60_000;
    const target = { targetId: file.id, caller: call.caller, until };
    return {
      path: linkPath(tickets, isPreview ? 'preview' : 'download', target),
      until: new Date(until).toISOString(),
    };
  };
}
