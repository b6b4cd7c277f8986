import { expect, test, vi } from 'vitest';
import { createMailServerFinder, type DnsResolver } from './mail-servers.ts';

const refused = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));
const mx = (exchange: string) => Promise.resolve([{ exchange }]);

/** Resolver with the given answers. Other lookups fail with ENODATA: the name exists without such a record. */
function finder(responses: Partial<DnsResolver>) {
  const asked: string[] = [];
  let cancelled = 0;
  const nothing = () => refused('ENODATA');
  const find = createMailServerFinder(() => ({
    resolveMx(domain) {
      asked.push(domain);
      return (responses.resolveMx ?? nothing)(domain);
    },
    resolve4: responses.resolve4 ?? nothing,
    resolve6: responses.resolve6 ?? nothing,
    cancel: () => void (cancelled += 1),
  }));
  return { find, asked, cancelled: () => cancelled };
}

test.each<[string, Partial<DnsResolver>, boolean | undefined]>([
  ['true for a mail server', { resolveMx: () => mx('mail.contoso.com') }, true],
  ['false for a record that refuses all mail (RFC 7505)', { resolveMx: () => mx('') }, false],
  ['false for an unknown name', { resolveMx: () => refused('ENOTFOUND') }, false],
  ['true for an address without a mail server', { resolve4: () => Promise.resolve(['192.0.2.1']) }, true],
  ['true for an IPv6 address only', { resolve6: () => Promise.resolve(['2001:db8::1']) }, true],
  ['false for a name without records', {}, false],
  ['undefined if the resolver is unreachable', { resolveMx: () => refused('ECONNREFUSED') }, undefined],
  ['undefined if the resolver fails', { resolveMx: () => refused('ESERVFAIL') }, undefined],
  ['undefined if the resolver fails for addresses only', { resolve4: () => refused('ESERVFAIL') }, undefined],
])('a lookup returns %s', async (_, responses, expected) => {
  const { find } = finder(responses);
  expect((await find(['contoso.com'])).get('contoso.com')).toBe(expected);
});

test('a lookup ends after one second with the partial result', async () => {
  vi.useFakeTimers();
  try {
    const { find, cancelled } = finder({
      resolveMx: (domain) => (domain === 'slow.com' ? new Promise(() => {}) : refused('ENOTFOUND')),
    });
    const found = find(['slow.com', 'gone.com']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([...(await found)]).toEqual([['gone.com', false]]);
    expect(cancelled()).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});

test('a lookup queries at most 100 domains of a list, and no reserved names', async () => {
  const { find, asked } = finder({ resolveMx: () => mx('mail') });
  await find(['example.com', 'a.example', 'x.test', 'y.invalid', 'localhost']);
  expect(asked).toEqual([]);
  await find(Array.from({ length: 500 }, (_, index) => `domain-${index}.com`));
  expect(asked).toHaveLength(100);
});
