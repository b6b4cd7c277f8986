import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
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

/** Creates a store for the last `capacity` mails: in memory, or also in a directory, from which a later store reads them. */
export function createMailStore(capacity: number, directory?: string) {
  const files = directory === undefined ? null : openMailFiles(directory);
  let mails: Stored[] = files?.read().slice(0, capacity) ?? [];
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
      files?.write(stored);
      mails = [stored, ...mails];
      for (const removed of mails.splice(capacity)) files?.remove(removed);
      changes += 1;
    },
    clear() {
      for (const removed of mails) files?.remove(removed);
      mails = [];
      changes += 1;
    },
  };
}

/** Content of a file. `raw` is in Base64. */
type MailFile = Omit<Stored, 'raw'> & { raw: string };

/** Files with one mail each. The names sort by time. */
function openMailFiles(directory: string) {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const fileOf = ({ message: { id, receivedAt } }: Stored) =>
    path.join(directory, `${receivedAt.replaceAll(':', '-')} ${id}.json`);
  return {
    /** Returns mails, newest first. */
    read: (): Stored[] =>
      readdirSync(directory)
        .filter((name) => name.endsWith('.json'))
        .toSorted()
        .toReversed()
        .map((name) => {
          const stored = JSON.parse(readFileSync(path.join(directory, name), 'utf8')) as MailFile;
          return { ...stored, raw: Buffer.from(stored.raw, 'base64') };
        }),
    write(stored: Stored) {
      const file = fileOf(stored);
      // A process that is killed leaves no incomplete mail.
      const incomplete = `${file}.incomplete`;
      const content: MailFile = { ...stored, raw: stored.raw.toString('base64') };
      writeFileSync(incomplete, JSON.stringify(content), { mode: 0o600 });
      renameSync(incomplete, file);
    },
    remove: (stored: Stored) => rmSync(fileOf(stored), { force: true }),
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
