/** Signed tickets for file links, which browsers open without an access token. Permissions are checked at each use. */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

export type Ticket = {
  purpose: 'download' | 'preview' | 'zip';
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

/** Length of a SHA-256 in base64url. */
const macLength = 43;

export function createFileTickets(deps: { secret: Buffer; now: () => number }): FileTickets {
  const key = createSecretKey(createHmac('sha256', deps.secret).update('vestibule file tickets').digest());
  const macOf = (content: string) => createHmac('sha256', key).update(content).digest('base64url');

  return {
    write(ticket) {
      const content = Buffer.from(JSON.stringify(ticket)).toString('base64url');
      return macOf(content) + content;
    },

    read(text) {
      const [mac, content] = [text.slice(0, macLength), text.slice(macLength)];
      const isOwn =
        Buffer.byteLength(mac) === macLength &&
        timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(content)));
      if (!isOwn) return null;
      const ticket = JSON.parse(Buffer.from(content, 'base64url').toString()) as Ticket;
      return ticket.expiresAtMs > deps.now() ? ticket : null;
    },
  };
}
