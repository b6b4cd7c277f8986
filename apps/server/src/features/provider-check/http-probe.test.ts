import { expect, test } from 'vitest';
import { probe } from './http-probe.ts';

test.each([
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is from an authority that this server does not trust'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the certificate is from an authority that this server does not trust'],
  ['EPROTO', 'an encrypted connection cannot be established'],
  ['ENOTFOUND', 'host not found'],
  ['ECONNRESET', 'the connection is closed'],
  ['SOMETHING_NEW', 'cannot be reached'],
])('%s is reported as "%s" (K5)', async (code, words) => {
  const refuse = () =>
    Promise.reject(
      Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('x'), { code }) }),
    );
  expect(await probe(refuse, 'https://contoso.b2clogin.com/x')).toMatchObject({
    error: { message: `https://contoso.b2clogin.com/x: ${words}` },
  });
});

test('redirects are followed on the same host, but not in loops (K5)', async () => {
  const answers: Record<string, Response> = {};
  const fetch = (url: string) => Promise.resolve(answers[url] ?? new Response('here'));
  answers['https://a.example/1'] = new Response(null, { status: 302, headers: { location: '/2' } });
  expect(await probe(fetch, 'https://a.example/1')).toMatchObject({ status: 200, text: 'here' });
  answers['https://a.example/2'] = new Response(null, { status: 302, headers: { location: '/1' } });
  expect(await probe(fetch, 'https://a.example/1')).toMatchObject({
    error: { code: 'provider_visit.circles' },
  });
});
