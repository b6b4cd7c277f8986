/** Signed tickets for file links, which browsers open without an access token. Permissions are checked at each use. */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

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
const maxTimeMs = 2 ** 48 - 1;
const macBytes = 16;
/** Nil UUID for "no session" (RFC 9562, section 5.9). */
const noSession = '00000000-0000-0000-0000-000000000000';

export function createFileTickets(deps: { secret: Buffer; now: () => number }): FileTickets {
  const key = createSecretKey(createHmac('sha256', deps.secret).update('vestibule file tickets').digest());
  const macOf = (content: Buffer) => createHmac('sha256', key).update(content).digest().subarray(0, macBytes);

  return {
    write({ purpose, expiresAtMs, personId, signedInAt, sessionId, targetId }) {
      const content = Buffer.alloc(contentBytes);
      content[0] = purposes.indexOf(purpose);
      content.writeUIntBE(expiresAtMs, 1, 6);
      content.write(personId.replaceAll('-', ''), 7, 'hex');
      content.write(targetId.replaceAll('-', ''), 23, 'hex');
      // `signedInAt` comes from the provider and can be any number.
      content.writeUIntBE(Math.min(Math.max(Math.trunc(signedInAt), 0), maxTimeMs), 39, 6);
      content.write((sessionId ?? noSession).replaceAll('-', ''), 45, 'hex');
      return Buffer.concat([content, macOf(content)]).toString('base64url');
    },

    read(text) {
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length !== contentBytes + macBytes || bytes.toString('base64url') !== text) return null;
      const content = bytes.subarray(0, contentBytes);
      if (!timingSafeEqual(macOf(content), bytes.subarray(contentBytes))) return null;
      const expiresAtMs = content.readUIntBE(1, 6);
      const purpose = purposes[content[0] as number];
      if (expiresAtMs <= deps.now() || purpose === undefined) return null;
      const sessionId = uuidAt(content, 45);
      return {
        purpose,
        expiresAtMs,
        personId: uuidAt(content, 7),
        signedInAt: content.readUIntBE(39, 6),
        sessionId: sessionId === noSession ? null : sessionId,
        targetId: uuidAt(content, 23),
      };
    },
  };
}

function uuidAt(bytes: Buffer, start: number): string {
  const hex = bytes.toString('hex', start, start + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
