import { describe, expect, test } from 'vitest';
import { claimedAddress, principalNameOf } from './address-claims.ts';

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

describe('the name of an account without an address', () => {
  const names = { upn: 'ann@example.com', preferred_username: 'ann.berg@example.com' };
  const tenant = 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0';

  test.each([
    ['is the preferred name at Entra ID', tenant, { ...names, upn: undefined }, names.preferred_username],
    ['is the principal name at Entra ID if it is sent', tenant, names, names.upn],
    ['is the principal name at AD FS', 'https://fs.example.com/adfs', names, names.upn],
    ['is not chosen by its user', 'https://fs.example.com/adfs', { ...names, upn: undefined }, null],
    ['is not that of other providers', 'https://login.example.com', names, null],
  ])('%s', (_, issuer, claims, expected) => {
    expect(principalNameOf(issuer, claims)).toBe(expected);
  });
});
