import { EmailAddress } from '@vestibule/contract/values';
import { describe, expect, test } from 'vitest';
import { canonicalEmail } from './canonical-email.ts';

describe('canonicalEmail (security 21)', () => {
  test.each([
    ['Ann@Example.COM', 'ann@example.com'],
    [' ann@example.com ', 'ann@example.com'],
    ['ann+news@example.com', 'ann+news@example.com'],
    ["o'neil@example.com", "o'neil@example.com"],
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
    ['ANN@BÜCHER.EXAMPLE', 'ann@xn--bcher-kva.example'],
    ['ann@xn--bcher-kva.example', 'ann@xn--bcher-kva.example'],
    ['ann@XN--BCHER-KVA.example', 'ann@xn--bcher-kva.example'],
    ['ann@localhost', 'ann@localhost'],
  ])('converts %s to %s', (address, canonical) => {
    expect(canonicalEmail(address)).toBe(canonical);
  });
});

describe('similar addresses', () => {
  test.each([
    ['a dotless i', 'admın@example.com'],
    ['a dotless i in the domain', 'ann@exampıe.com'],
    ['the Kelvin sign', 'ann@\u212Aelvin.example'],
    ['a dotted I in the domain', 'ann@kelvİn.example'],
    ['a full-width letter', 'ann@ｅxample.com'],
    ['a full-width capital', 'ann@Ｅxample.com'],
    ['a full-width local part', 'ａnn@example.com'],
    ['a full-width @', 'ann＠example.com'],
    ['a Chinese full stop', 'ann@example。com'],
    ['a Cyrillic a', 'ann@exаmple.com'],
    ['a soft hyphen', 'ann@exam\u00ADple.com'],
    ['a long s', 'ann@example.ſe'],
    ['an empty tag', 'ann+@example.com'],
    ['another tag', 'ann+admin@example.com'],
  ])('an address with %s has another canonical form, or none', (_what, address) => {
    expect(['ann@example.com', 'admin@example.com', 'ann@kelvin.example', 'ann@example.se']).not.toContain(
      canonicalEmail(address),
    );
  });
});

const notAccepted: [string, unknown][] = [
  ['a quoted local part', '"ann"@example.com'],
  ['two @', 'ann@bob@example.com'],
  ['an encoded second @', 'ann@example.com%40bob.example'],
  ['a comment', 'ann(comment)@example.com'],
  ['a display name', 'Ann <ann@example.com>'],
  ['a list', 'ann@example.com,bob@example.com'],
  ['a line feed inside', 'ann@example.com\nBcc: bob@example.com'],
  ['a line feed at the end', 'ann@example.com\n'],
  ['a carriage return before', '\r\nann@example.com'],
  ['a line separator', 'ann@example.com\u2028'],
  ['a NUL', 'ann\0@example.com'],
  ['an address literal', 'ann@[127.0.0.1]'],
  ['no domain', 'ann@'],
  ['no local part', '@example.com'],
  ['dots side by side', 'ann..b@example.com'],
  ['a dot at the end', 'ann.@example.com'],
  ['a domain with an empty label', 'ann@example..com'],
  ['a domain that starts with a hyphen', 'ann@-example.com'],
  ['a port', 'ann@example.com:25'],
  ['a path', 'ann@example.com/x'],
  ['255 characters', `${'a'.repeat(243)}@example.com`],
  ['an array', ['ann@example.com']],
  ['an object', { toString: () => 'ann@example.com' }],
  ['a number', 7],
];
test.each(notAccepted)('canonicalEmail returns null for %s', (_what, address) => {
  expect(canonicalEmail(address as string)).toBeNull();
});

test.each([
  ['dots', `${'a.'.repeat(50_000)}@example.com`],
  ['quotes', `${'"'.repeat(100_000)}@example.com`],
  ['brackets', `${'('.repeat(50_000)}ann${')'.repeat(50_000)}@example.com`],
  ['a domain of labels', `ann@${'a.'.repeat(50_000)}com`],
  ['at signs', '@'.repeat(100_000)],
])('100 KB of %s are refused within 50 ms (security 32)', (_what, address) => {
  // CPU time of this thread: other load on the machine does not count.
  const before = process.threadCpuUsage();
  expect(EmailAddress.safeParse(address).success).toBe(false);
  expect(canonicalEmail(address)).toBeNull();
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(50);
});
