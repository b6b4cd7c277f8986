/**
 * A visitor without a browser at the embedded provider: follows its pages over HTTP, so that journeys which are not
 * about signing up or in get their people in a tenth of a second. The pages themselves are tested in the browser.
 */
import { createHash, randomBytes } from 'node:crypto';

/** What the site tells every browser (statement H1), as far as a visitor needs it. */
export type PublicConfiguration = {
  ClientId: string;
  TenantName: string;
  SignInPolicy: string;
  SignUpPolicy: string;
  ApiScopes: string[];
  EmbeddedProviderUrl: string;
};

/** An access token for the API and for how many seconds it works. */
export type Access = { token: string; seconds: number };

/** Creates an account with an invite token. */
export function signUpByHttp(
  site: string,
  configuration: PublicConfiguration,
  person: { inviteToken: string; name: string; password: string },
): Promise<Access> {
  return visit(site, configuration, configuration.SignUpPolicy, {
    parameters: { id_token_hint: person.inviteToken },
    button: 'continue',
    values: { displayName: person.name, newPassword: person.password, reenterPassword: person.password },
  });
}

/** Signs in with address and password. */
export function signInByHttp(
  site: string,
  configuration: PublicConfiguration,
  person: { email: string; password: string },
): Promise<Access> {
  return visit(site, configuration, configuration.SignInPolicy, {
    parameters: { prompt: 'login' },
    button: 'next',
    values: { email: person.email, password: person.password },
  });
}

async function visit(
  site: string,
  { ClientId, TenantName, ApiScopes, EmbeddedProviderUrl }: PublicConfiguration,
  policy: string,
  page: { parameters: Record<string, string>; button: string; values: Record<string, string> },
): Promise<Access> {
  const endpoint = `${EmbeddedProviderUrl}/${TenantName}.onmicrosoft.com/${policy}/oauth2/v2.0`;
  const verifier = randomBytes(32).toString('base64url');
  const redirectUri = `${site}/`;
  const shown = await fetch(
    `${endpoint}/authorize?${new URLSearchParams({
      client_id: ClientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      response_mode: 'query',
      scope: ['openid', 'offline_access', ...ApiScopes].join(' '),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...page.parameters,
    })}`,
    { redirect: 'manual' },
  );
  const interaction = shown.headers.get('location');
  if (!interaction) throw new Error(`The provider showed no page: ${shown.status} ${await shown.text()}`);
  const cookie = shown.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const html = await (await fetch(interaction, { headers: { cookie } })).text();
  const answer = await fetch(interaction, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams({ ...hiddenFields(html), action: page.button, ...page.values }),
    redirect: 'manual',
  });
  const location = answer.headers.get('location');
  const code = location && new URL(location).searchParams.get('code');
  if (!code)
    throw new Error(`The provider gave no code: ${answer.status} ${location ?? (await answer.text())}`);
  const response = await fetch(`${endpoint}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: ClientId,
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    }),
  });
  const tokens = (await response.json()) as { access_token: string; expires_in: number };
  return { token: tokens.access_token, seconds: tokens.expires_in };
}

function hiddenFields(html: string): Record<string, string> {
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name, value]) => [name, value]));
}
