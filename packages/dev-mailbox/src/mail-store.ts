import { randomUUID } from 'node:crypto';
import PostalMime from 'postal-mime';

/** A mail as `GET /api/messages` answers it. `to` has all recipients of the envelope; `receivedAt` is ISO 8601. */
export type Message = {
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  receivedAt: string;
};

/** The last mails, in memory. */
export type MailStore = ReturnType<typeof createMailStore>;

type Stored = { message: Message; raw: Buffer; recipients: string[] };

/** Creates a store that keeps the last `capacity` mails. */
export function createMailStore(capacity: number) {
  let mails: Stored[] = [];
  // Random at the start, so that a browser notices a new mailbox at the same address.
  const session = randomUUID();
  let changes = 0;
  return {
    /** Changes whenever the list does. */
    get revision() {
      return `${session}-${changes}`;
    },
    /** Newest first; with an address, only the mails to that one (whatever its case). */
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

/** Pictures that a mail carries are named by `cid:` addresses, which only mail programs know. */
function withInlineImages(html: string, attachments: Attachments): string {
  let shown = html;
  for (const { contentId, mimeType, content } of attachments) {
    if (contentId === undefined || !mimeType.startsWith('image/') || typeof content !== 'string') continue;
    shown = shown.replaceAll(`cid:${contentId.replace(/^<|>$/g, '')}`, `data:${mimeType};base64,${content}`);
  }
  return shown;
}
