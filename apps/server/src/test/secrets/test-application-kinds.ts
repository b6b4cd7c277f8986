/** Secrets of protected applications. */
import { createHash } from 'node:crypto';
import { createApplication } from '@vestibule/contract/applications';
import { applicationCookie } from '../../features/applications/gate.ts';
import { sessionCookie } from '../../features/auth/sessions/sessions.ts';
import { createTestSession } from '../sign-in/test-session.ts';
import type { TestSite } from './test-site.ts';

type Site = TestSite & { annasToken: string };

const address = 'https://wiki.example.com';
const browserSecret = 'b'.repeat(43);
const browserCookie = `__Host-vestibule-browser=${browserSecret}`;
const forwarded = {
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'wiki.example.com',
  'x-original-url': `${address}/`,
};

export async function startWith({ t }: Site, session: string): Promise<string | null> {
  const query = new URLSearchParams({
    address,
    to: '/',
    browser: createHash('sha256').update(browserSecret).digest('base64url'),
  });
  const { headers } = await t.app.inject({
    url: `/applications/start?${query.toString()}`,
    headers: { cookie: `${sessionCookie}=${session}` },
  });
  return new URL(String(headers.location), address).searchParams.get('code');
}

export const callback = ({ t }: Site, code: string) =>
  t.app.inject({
    url: `/.vestibule/callback?code=${encodeURIComponent(code)}`,
    headers: { ...forwarded, cookie: browserCookie },
  });

export const ask = ({ t }: Site, method: string, url: string, cookie: string) =>
  t.app.inject({
    method: method as 'GET',
    url,
    headers: {
      ...forwarded,
      host: 'wiki.example.com',
      'sec-fetch-site': 'same-origin',
      cookie: `${applicationCookie}=${cookie}`,
    },
  });

export const registerApplication = ({ t, annasToken: token }: Site) =>
  t.call(createApplication, { token, body: { name: 'Wiki', address, access: [{ kind: 'everyone' }] } });

async function makeCode(site: Site): Promise<string> {
  const { t } = site;
  const personId = await t.scalar<string>`select id from people where role = 'admin' order by joined_at`;
  const { value } = await createTestSession(t, { id: personId });
  return (await startWith(site, value)) as string;
}

async function makeCookie(site: Site): Promise<string> {
  const { headers } = await callback(site, await makeCode(site));
  return /=([^;]+)/.exec(String(headers['set-cookie']))?.[1] as string;
}

export const applicationKinds = {
  'code of an application': makeCode,
  'cookie of an application': makeCookie,
  'assertion for an application': async (site: Site) =>
    String(
      (await ask(site, 'GET', '/forward-auth', await makeCookie(site))).headers['x-vestibule-assertion'],
    ),
};
