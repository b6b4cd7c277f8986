/**
 * A running site without any identity provider (M7, M8). Its administrator comes in without a browser, by a code, and does by the API
 * what is asked of them. Not for: what a person does in a browser (passkeys-site.ts).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { openSite, somebody, type Person } from './running-site.ts';
import { removeDataDirectory, spawnServer, type Environment } from './start-server.ts';

export type PasskeysSite = Awaited<ReturnType<typeof startPasskeysSite>>;
export type Invited = Person & { link: string };

/** Starts the site, with its administrator inside. */
export async function startPasskeysSite(env: Environment = {}) {
  const server = await spawnServer({ env: { SIGN_IN_WITH: 'passkeys', ...env } });
  const stop = async () => {
    await server.stop();
    await removeDataDirectory(server.dataDirectory);
  };
  try {
    await server.ready();
    const site = await openSite(server);
    const { administrator } = site;
    const cookies = new Map<string, string>();

    /** Calls the API as the administrator's browser does; throws what was not a success. */
    async function order(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
      const response = await fetch(site.url + path, {
        method,
        headers: {
          origin: site.url,
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      const answer = (await response.json()) as Record<string, unknown>;
      if (response.status !== 200)
        throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
      return answer;
    }

    /** As if somebody had signed in so many minutes ago. */
    const letSignInAge = ({ email }: Pick<Person, 'email'>, minutes: number) =>
      site.sql(
        `update sessions set created_at = now() - make_interval(mins => $2), proven_at = now() - make_interval(mins => $2)
         where person_id = (select id from people where email = $1)`,
        [email, minutes],
      );

    const invitation = new URL(site.firstLink()).searchParams.get('i');
    const { name } = administrator;
    const { attempt } = await order('POST', '/api/sign-in/code', { invitation, name });
    await order('POST', '/api/sign-in/proof', { attempt, code: await newestCode(site, administrator.email) });

    return {
      ...site,
      order,
      stop,
      letSignInAge,

      /** Somebody with an open invitation. */
      async invited(personName = 'Ann Other', role: 'member' | 'admin' = 'member'): Promise<Invited> {
        const person = somebody(personName);
        if (role === 'admin') await letSignInAge(administrator, 0);
        const { id } = await order('POST', '/api/invitations', { email: person.email, role });
        const { link } = await order('POST', `/api/invitations/${String(id)}/link`);
        return { ...person, link: String(link) };
      },

      async idOf({ email }: Pick<Person, 'email'>): Promise<string> {
        const { rows } = await order('GET', `/api/people?search=${encodeURIComponent(email)}`);
        return (rows as { id: string }[])[0]?.id ?? '';
      },

      /** What the administrator's browser would keep. */
      cookies: (): ReadonlyMap<string, string> => cookies,

      /** Changes a setting; null takes it back. */
      async set(setting: string, value: unknown): Promise<void> {
        const settings = await order('GET', '/api/settings');
        const { version } = settings[setting] as { version: number };
        await order('PATCH', '/api/settings', { [setting]: value, versions: { [setting]: version } });
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The code in the newest mail to somebody; with `after`, in one that came after that many. */
export async function newestCode(
  site: Pick<PasskeysSite, 'mailsTo'>,
  email: string,
  after = 0,
): Promise<string> {
  return (await codeMails(site, email, after))[0]?.code ?? '';
}

/** The link in the newest mail with a code. */
export async function newestCodeLink(site: Pick<PasskeysSite, 'mailsTo'>, email: string): Promise<string> {
  return (await codeMails(site, email))[0]?.link ?? '';
}

async function codeMails(site: Pick<PasskeysSite, 'mailsTo'>, email: string, after = 0) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const found = (await site.mailsTo(email)).flatMap(({ subject, text }) => {
      const code = /^\d{6}\b/.exec(subject)?.[0];
      const link = /https?:\/\/\S+\/login\?\S+/.exec(text)?.[0] ?? '';
      return code === undefined ? [] : [{ code, link }];
    });
    if (found.length > after) return found;
    if (Date.now() > deadline) throw new Error(`No mail with a code to ${email} came within a minute`);
    await delay(50);
  }
}
