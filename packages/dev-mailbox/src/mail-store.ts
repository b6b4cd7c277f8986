import { randomUUID } from 'node:crypto';
import PostalMime from 'postal-mime';

/**
 * A mail as returned by `GET /api/messages`. `to` lists all envelope recipients; `receivedAt` is ISO 8601.
 */
export type Message = {
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  receivedAt: string;
};

export type MailStore = ReturnType<typeof createMailStore>;

type Stored = { message: Message; raw: Buffer; recipients: string[] };

/** Creates an in-memory store for the last `capacity` mails. */
export function createMailStore(capacity: number) {
  let mails: Stored[] = [];
  // Random, so that pages opened before a restart of the mailbox notice the restart.
  const session = randomUUID();
  let changes = 0;
  return {
    /** Changes with every change of the list. It is the ETag of the list. */
    get revision() {
      return `${session}-${changes}`;
    },
    /** Returns mails, newest first. With an address, returns only mails to this address, ignoring case. */
    list(to?: string): Message[] {
      const wanted = to?.toLowerCase();
      const matching =
        wanted === undefined ? mails : mails.filter(({ recipients }) => recipients.includes(wanted));
      return matching.map(({ message }) => message);
    },
    find: (id: string) => mails.find(({ message }) => message.id === id),
    async add(raw: Buffer, recipients: string[]) {
      const stored = await read(raw, recipients);
      mails = [stored, ...mails].slice(0, capacity);
      changes += 1;
    },
    clear() {
      mails = [];
      changes += 1;
    },
  };
}

async function read(raw: Buffer, recipients: string[]): Promise<Stored> {
  const mail = await PostalMime.parse(raw, { attachmentEncoding: 'base64' });
  const message: Message = {
    id: randomUUID(),
    to: recipients.join(', '),
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: withInlineImages(mail.html ?? '', mail.attachments),
    receivedAt: new Date().toISOString(),
  };
  return { message, raw, recipients: recipients.map((recipient) => recipient.toLowerCase()) };
}

type Attachments = Awaited<ReturnType<typeof PostalMime.parse>>['attachments'];

/** Replaces `cid:` URLs of embedded images by data URLs: browsers cannot load `cid:` URLs. */
function withInlineImages(html: string, attachments: Attachments): string {
  let shown = html;
  for (const { contentId, mimeType, content } of attachments) {
    if (contentId === undefined || !mimeType.startsWith('image/') || typeof content !== 'string') continue;
    shown = shown.replaceAll(`cid:${contentId.replace(/^<|>$/g, '')}`, `data:${mimeType};base64,${content}`);
  }
  return shown;
}
