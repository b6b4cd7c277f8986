import { describe, expect, test } from 'vitest';
import { claimedAddress } from './address-claims.ts';

describe('an address of Google', () => {
  const claimed = (claims: object) =>
    claimedAddress({ iss: 'https://accounts.google.com', email_verified: true, ...claims });

  test.each([
    ['of a Workspace is verified', { email: 'ann@example.com', hd: 'example.com' }, true],
    ['of Gmail is verified', { email: 'ann@gmail.com' }, true],
    ['of another domain in a private account is not', { email: 'ann@example.com' }, false],
    ['that Google has not verified is not', { email: 'ann@gmail.com', email_verified: false }, false],
  ])('%s', (_, claims, expected) => {
    expect(claimed(claims)).toMatchObject({ isVerified: expected, isUnverified: !expected });
  });

  test('is not distinguished at other providers', () => {
    expect(claimed({ iss: 'https://login.example.com', email: 'ann@example.com' }).isVerified).toBe(true);
  });
});
