/**
 * A running Vestibule with its first administrator inside, and what journeys ask of it: invite somebody, let somebody
 * be inside, read a mail, look into the database. Not for: what a person does in a browser (journey.ts).
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { findLeakedSecrets } from './leaked-secrets.ts';
import { signInByHttp, signUpByHttp, type Access, type PublicConfiguration } from './provider-visit.ts';
import {
  readDatabase,
  removeDataDirectory,
  spawnServer,
  type Environment,
  type ServerProcess,
} from './start-server.ts';

export type Person = { email: string; name: string; password: string };

type Headings = Record<string, string>;

/** One mail in the development mailbox. */
export type Mail = { to: string; subject: string; text: string };

export type Site = Awaited<ReturnType<typeof startSite>>;

const password = 'Correct-Horse-9';
const adminEmail = 'admin@example.com';
let people = 0;

/** An address that nobody has used, with the name and the password to sign up with. */
export function somebody(name = 'Some Body'): Person {
  people += 1;
  return { email: `person-${process.pid}-${people}@example.com`, name, password };
}

/** Starts a server and lets its first administrator in; `administratorInside: false` leaves the printed link unused. */
export async function startSite(
  options: { env?: Environment; administratorInside?: boolean; root?: string } = {},
) {
  const { env = {}, root } = options;
  const server = await spawnServer({
    // Receivers of webhooks are on this machine.
    env: { WEBHOOKS_TO_PRIVATE_ADDRESSES: 'yes', ...env },
    ...(root !== undefined && { root }),
  });
  try {
    await server.ready();
    const site = await openSite(server);
    if (options.administratorInside !== false) await site.signUp(site.administrator, site.firstLink());
    return site;
  } catch (error) {
    await server.stop();
    await removeDataDirectory(server.dataDirectory);
    throw error;
  }
}

/** What journeys ask of a server that is ready. */
export async function openSite(server: ServerProcess) {
  const url = `http://localhost:${server.ports.web}`;
  const providerUrl = `http://localhost:${server.ports.provider}`;
  const mailboxUrl = `http://localhost:${server.ports.mailbox}`;
  const configuration = (await (await fetch(`${url}/api/config`)).json()) as PublicConfiguration;
  const administrator: Person = { email: adminEmail, name: 'Ada Admin', password };
  const { keep, forget, tokenOf } = keepAccesses(url, configuration);

  const site = {
    ...readMails(mailboxUrl),
    url,
    providerUrl,
    mailboxUrl,
    server,
    configuration,
    administrator,

    /** The link that the server printed, for the first administrator. */
    firstLink(): string {
      const link = /^First administrator: (\S+)$/m.exec(server.output())?.[1];
      if (!link) throw new Error(`No link of a first administrator in:\n${server.output()}`);
      return link;
    },

    /** Calls the API as somebody; gives status and answer whatever they are. */
    async call(
      person: Person,
      method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
      path: string,
      body?: unknown,
      headers: Headings = {},
    ): Promise<{ status: number; answer: Record<string, unknown> }> {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...headers,
          authorization: `Bearer ${await tokenOf(person)}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
    },

    /** Calls the API as the administrator; throws what was not a success. */
    async order(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown, headers?: Headings) {
      const { status, answer } = await site.call(administrator, method, path, body, headers);
      if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
      return answer;
    },

    /** Uploads a file as somebody, in one request; gives its id. */
    upload: async (person: Person, file: UploadedFile): Promise<string> =>
      uploadFile(url, await tokenOf(person), file),

    /** Invites an address; gives the invitation's id, and its link as an administrator copies it. */
    async invite(email: string, role: 'member' | 'admin' = 'member'): Promise<{ id: string; link: string }> {
      const { id } = (await site.order('POST', '/api/invitations', { email, role })) as { id: string };
      const { link } = (await site.order('POST', `/api/invitations/${id}/link`)) as { link: string };
      return { id, link };
    },

    /** The invite token behind a link. Asking for it marks the invitation as opened and consumes nothing. */
    async inviteToken(link: string): Promise<string> {
      const response = await fetch(`${url}/api/users/invite-token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code: new URL(link).searchParams.get('i') }),
      });
      const { Data, ErrorMessage } = (await response.json()) as { Data: string | null; ErrorMessage: string };
      if (!Data) throw new Error(`${link} gave no token: ${ErrorMessage}`);
      return Data;
    },

    /** Takes a link all the way, without a browser. */
    async signUp(person: Person, link: string): Promise<void> {
      const inviteToken = await site.inviteToken(link);
      keep(person, await signUpByHttp(url, configuration, { ...person, inviteToken }));
      const { status } = await site.call(person, 'GET', '/api/users/me');
      if (status !== 200) throw new Error(`${person.email} is not inside: ${status}`);
      // The sign-up policy's token has done its work; later calls sign in.
      forget(person);
    },

    /** Somebody who is inside. */
    async member(options: { name?: string; role?: 'member' | 'admin' } = {}): Promise<Person> {
      const person = somebody(options.name);
      await site.signUp(person, (await site.invite(person.email, options.role)).link);
      return person;
    },

    /** The id of somebody who is inside. */
    async idOf(person: Person): Promise<string> {
      const { rows } = (await site.order(
        'GET',
        `/api/people?search=${encodeURIComponent(person.email)}`,
      )) as { rows: { id: string; email: string }[] };
      const found = rows.find(({ email }) => email === person.email);
      if (!found) throw new Error(`${person.email} is not inside`);
      return found.id;
    },

    /** Runs a statement in the database, for what no screen can do (letting time pass, for one). */
    sql: (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
      runStatement(server.dataDirectory, text, values),

    /** Codes and tokens that stand where they do not belong. */
    leakedSecrets: (): Promise<string[]> =>
      findLeakedSecrets(server.output(), server.dataDirectory, (text) => site.sql(text)),

    async stop(): Promise<void> {
      await server.stop();
      await removeDataDirectory(server.dataDirectory);
    },
  };

  return site;
}

/** Access tokens of people, each taken once and again before it ends. */
function keepAccesses(url: string, configuration: PublicConfiguration) {
  const accesses = new Map<string, Access & { until: number }>();
  return { keep, forget: (person: Person) => void accesses.delete(person.email), tokenOf };

  function keep(person: Person, access: Access): Access {
    accesses.set(person.email, { ...access, until: Date.now() + access.seconds * 600 });
    return access;
  }

  async function tokenOf(person: Person): Promise<string> {
    const kept = accesses.get(person.email);
    if (kept && kept.until > Date.now()) return kept.token;
    return keep(person, await signInByHttp(url, configuration, person)).token;
  }
}

type UploadedFile = {
  name: string;
  type: string;
  contents: Uint8Array;
  /** Of a picture, the small one. */
  thumbnail?: Buffer;
};

async function uploadFile(url: string, token: string, file: UploadedFile): Promise<string> {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const response = await fetch(`${url}/api/attachments/uploads`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'tus-resumable': '1.0.0',
      'upload-length': String(file.contents.length),
      'upload-metadata': `name ${base64(file.name)},type ${base64(file.type)}`,
      'content-type': 'application/offset+octet-stream',
    },
    body: Buffer.from(file.contents),
  });
  const id = response.headers.get('location')?.split('/').at(-1);
  if (response.status !== 201 || !id)
    throw new Error(`${file.name} was not uploaded: ${response.status} ${await response.text()}`);
  if (!file.thumbnail) return id;
  const given = await fetch(`${url}/api/attachments/${id}/thumbnail`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ picture: file.thumbnail.toString('base64') }),
  });
  if (!given.ok) throw new Error(`${file.name} has no small picture: ${await given.text()}`);
  return id;
}

function readMails(mailboxUrl: string) {
  const mails = {
    /** All mails to an address, latest first. */
    async mailsTo(address: string): Promise<Mail[]> {
      const response = await fetch(`${mailboxUrl}/api/messages?to=${encodeURIComponent(address)}`);
      return (await response.json()) as Mail[];
    },

    /** The latest mail to an address whose subject matches; waits until there is one. */
    async mailTo(address: string, subject = /./): Promise<Mail> {
      const deadline = Date.now() + 60_000;
      for (;;) {
        const mail = (await mails.mailsTo(address)).find((one) => subject.test(one.subject));
        if (mail) return mail;
        if (Date.now() > deadline) throw new Error(`No mail to ${address} came within a minute`);
        await delay(100);
      }
    },
  };
  return mails;
}

async function runStatement(
  dataDirectory: string,
  text: string,
  values: unknown[],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: readDatabase(dataDirectory).url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}
