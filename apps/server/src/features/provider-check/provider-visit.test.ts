/** What a visit to the provider ends with, in words (statement K5). */
import { expect, test } from 'vitest';
import { visit } from './provider-visit.ts';

test.each([
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is not from an authority that this server trusts'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'its certificate is not from an authority that this server trusts'],
  ['EPROTO', 'no encrypted connection to it comes about'],
  ['ENOTFOUND', 'there is no host of that name'],
  ['ECONNRESET', 'it breaks the connection off'],
  ['SOMETHING_NEW', 'it cannot be reached'],
])('%s is told in words: %s (K5)', async (code, words) => {
  const refuse = () =>
    Promise.reject(
      Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('x'), { code }) }),
    );
  expect(await visit(refuse, 'https://contoso.b2clogin.com/x')).toMatchObject({
    trouble: { message: `https://contoso.b2clogin.com/x: ${words}` },
  });
});

test('redirects on the same host are followed, in circles they are not (K5)', async () => {
  const answers: Record<string, Response> = {};
  const fetch = (url: string) => Promise.resolve(answers[url] ?? new Response('here'));
  answers['https://a.example/1'] = new Response(null, { status: 302, headers: { location: '/2' } });
  expect(await visit(fetch, 'https://a.example/1')).toMatchObject({ status: 200, text: 'here' });
  answers['https://a.example/2'] = new Response(null, { status: 302, headers: { location: '/1' } });
  expect(await visit(fetch, 'https://a.example/1')).toMatchObject({
    trouble: { code: 'provider_visit.circles' },
  });
});
