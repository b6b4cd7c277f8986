/** The form in which a client's secret is sent to a provider (RFC 6749, section 2.3.1). */
import * as openid from 'openid-client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { OidcProviderConfig } from '../config/oidc-providers.ts';
import { acceptedSecretForm } from './client-secret.ts';
import { prepareClient } from './discover-provider.ts';

afterEach(() => vi.restoreAllMocks());

/** ASCII punctuation except the characters with a meaning in percent-encoding and forms. */
const plainPunctuation = '-_.~*!\'()$&,/;=@?#[]^`{|}<>"\\';
/** Characters of secrets that Google, Entra ID and Okta issue. */
const issuedSecret = 'GOCSPX-a_b.c~d';

type Credentials = { id: string; secret: string };
type Read = (request: { basic: string | null; form: URLSearchParams }) => Credentials | null;

const splitAtColon = (text: string): Credentials => ({
  id: text.slice(0, text.indexOf(':')),
  secret: text.slice(text.indexOf(':') + 1),
});
const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));

const readForm: Read = ({ basic, form }) =>
  basic === null ? { id: form.get('client_id') ?? '', secret: form.get('client_secret') ?? '' } : null;

const readers = {
  decodingBasic: ({ basic }) => {
    if (basic === null) return null;
    const { id, secret } = splitAtColon(basic);
    return { id: decode(id), secret: decode(secret) };
  },
  plainBasic: ({ basic }) => (basic === null ? null : splitAtColon(basic)),
  /** LemonLDAP::NG 2.16 reads the base64 text up to the first + or /, and the decoded text up to the second colon. */
  truncatedBasic: ({ basic, form }) => {
    if (basic === null) return readForm({ basic, form });
    const text = (/^\w+/.exec(Buffer.from(basic).toString('base64')) as RegExpExecArray)[0];
    const [id = '', secret = ''] = Buffer.from(text, 'base64').toString().split(':');
    return { id, secret };
  },
  form: readForm,
} satisfies Record<string, Read>;

const refusals = {
  invalidClient: () => Response.json({ error: 'invalid_client' }, { status: 401 }),
  challenge: () =>
    new Response('', {
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="acme", error="invalid_client"' },
    }),
  unauthorizedClient: () => Response.json({ error: 'unauthorized_client' }, { status: 403 }),
  invalidRequest: () => Response.json({ error: 'invalid_request' }, { status: 400 }),
};

/** A provider with one client; `sent` contains the authentication method of each request. */
function createProvider(
  registered: Credentials,
  read: Read,
  {
    refuse = refusals.invalidClient,
    respond = () => Response.json({ error: 'invalid_grant' }, { status: 400 }),
  } = {},
) {
  const sent: ('basic' | 'form')[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation((_url, request) => {
    const authorization = new Headers(request?.headers).get('authorization');
    const form = new URLSearchParams(String(request?.body as URLSearchParams));
    const basic = authorization && Buffer.from(authorization.slice('Basic '.length), 'base64').toString();
    sent.push(basic === null ? 'form' : 'basic');
    let shown: Credentials | null = null;
    try {
      shown = read({ basic, form });
    } catch {
      // Not encoded as this provider expects.
    }
    const isRight = shown?.id === registered.id && shown.secret === registered.secret;
    return Promise.resolve(isRight ? respond() : refuse());
  });
  return sent;
}

const configured = (
  { id, secret }: Credentials,
  method: 'client_secret_basic' | 'client_secret_post' | 'any' = 'any',
) =>
  ({
    id: 'acme',
    issuer: 'https://acme.example',
    clientId: id,
    authentication: { method, secret },
  }) as OidcProviderConfig;

/** Returns the error code of the response to an invalid refresh token. */
async function errorOf(provider: OidcProviderConfig, methods?: string[]): Promise<string | undefined> {
  const { client } = prepareClient(provider, {
    issuer: provider.issuer,
    token_endpoint: 'https://acme.example/token',
    ...(methods && { token_endpoint_auth_methods_supported: methods }),
  });
  try {
    await openid.refreshTokenGrant(client, 'made up');
    return undefined;
  } catch (error) {
    const { error: code, cause } = error as {
      error?: string;
      cause?: { parameters?: { error?: string } }[];
    };
    return code ?? cause?.[0]?.parameters?.error;
  }
}

describe('a client secret', () => {
  test.each<[string, Credentials, Read]>([
    [
      'characters of Google, Entra ID and Okta; the provider does not decode',
      { id: 'a', secret: issuedSecret },
      readers.plainBasic,
    ],
    [
      'characters of Google, Entra ID and Okta; the provider decodes',
      { id: 'a', secret: issuedSecret },
      readers.decodingBasic,
    ],
    [
      'punctuation; the provider does not decode',
      { id: 'a-b.c', secret: plainPunctuation },
      readers.plainBasic,
    ],
    ['punctuation; the provider decodes', { id: 'a-b.c', secret: plainPunctuation }, readers.decodingBasic],
    ['a colon; the provider does not decode', { id: 'a', secret: 'b:c' }, readers.plainBasic],
    ['% and +; the provider decodes', { id: 'https://a:b/%', secret: '100%+ä €' }, readers.decodingBasic],
  ])('is accepted at the first request (%s)', async (_title, credentials, read) => {
    const sent = createProvider(credentials, read);
    expect(await errorOf(configured(credentials))).toBe('invalid_grant');
    expect(sent).toEqual(['basic']);
  });

  test.each(Object.entries(refusals))(
    'is sent unencoded after the refusal "%s" of a provider that does not decode % and +',
    async (_name, refuse) => {
      const credentials = { id: 'a', secret: '100%+ä' };
      const provider = configured(credentials);
      const sent = createProvider(credentials, readers.plainBasic, { refuse });
      expect(await errorOf(provider)).toBe('invalid_grant');
      expect(sent).toEqual(['basic', 'form', 'basic']);
      expect(acceptedSecretForm(provider)).toBe('unencoded basic');
    },
  );

  test('is sent in the form body to a provider that ignores Basic credentials; the second call sends only the form body', async () => {
    const credentials = { id: 'a', secret: issuedSecret };
    const provider = configured(credentials);
    const sent = createProvider(credentials, readers.form, { refuse: refusals.invalidRequest });
    await errorOf(provider);
    await errorOf(provider);
    expect(sent).toEqual(['basic', 'form', 'form']);
    expect(acceptedSecretForm(provider)).toBe('post');
  });

  test.each(['a+b/c%d=:', 'GOCSPX-a~b~c~d', 'x:y'])(
    'is sent in the form body to a provider that truncates Basic credentials: %s',
    async (secret) => {
      const credentials = { id: 'client', secret };
      const provider = configured(credentials);
      const sent = createProvider(credentials, readers.truncatedBasic, { refuse: refusals.challenge });
      expect(await errorOf(provider)).toBe('invalid_grant');
      expect(sent).toEqual(['basic', 'form']);
      expect(acceptedSecretForm(provider)).toBe('post');
    },
  );

  test('is sent in the form body first if the metadata lists client_secret_post without client_secret_basic', async () => {
    const credentials = { id: 'a', secret: issuedSecret };
    const sent = createProvider(credentials, readers.form);
    await errorOf(configured(credentials), ['client_secret_post', 'private_key_jwt']);
    expect(sent).toEqual(['form']);
  });

  test('is not sent again if the provider accepts it and fails for another reason', async () => {
    const credentials = { id: 'a', secret: issuedSecret };
    for (const respond of [
      () => Response.json({ error: 'server_error' }, { status: 500 }),
      () => new Response('<h1>Oops</h1>', { status: 502 }),
      () => Response.json({ error: 'invalid_grant' }, { status: 401 }),
    ]) {
      const sent = createProvider(credentials, readers.decodingBasic, { respond });
      await errorOf(configured(credentials));
      expect(sent).toEqual(['basic']);
    }
  });

  test('is sent once by each method if it is wrong, and the first error is reported', async () => {
    const provider = configured({ id: 'a', secret: 'wrong' });
    const sent = createProvider({ id: 'a', secret: 'right' }, readers.decodingBasic);
    expect(await errorOf(provider)).toBe('invalid_client');
    expect(sent).toEqual(['basic', 'form']);
    expect(acceptedSecretForm(provider)).toBeNull();
  });

  test.each([
    ['client_secret_basic', ['basic', 'basic']],
    ['client_secret_post', ['form']],
  ] as const)('is sent only by the configured method: %s', async (method, expected) => {
    const sent = createProvider({ id: 'a', secret: 'right' }, () => null);
    await errorOf(configured({ id: 'a', secret: 'a+b' }, method));
    expect(sent).toEqual(expected);
  });

  test('is sent by another authentication method if the provider no longer accepts the method that worked before', async () => {
    const credentials = { id: 'a', secret: issuedSecret };
    const provider = configured(credentials);
    createProvider(credentials, readers.form);
    await errorOf(provider);
    vi.restoreAllMocks();
    const sent = createProvider(credentials, readers.decodingBasic);
    expect(await errorOf(provider)).toBe('invalid_grant');
    expect(sent).toEqual(['form', 'basic']);
    expect(acceptedSecretForm(provider)).toBe('basic');
  });
});
