import { expect, test } from 'vitest';
import { testEnvironment } from '../../test/test-app.ts';
import { isLoopback, isReservedDomain } from './addresses.ts';
import { readConfig } from './read-config.ts';

test.each([
  ['https://portal.contoso.com', 'no-reply@portal.contoso.com'],
  ['https://portal.contoso.com:8443', 'no-reply@portal.contoso.com'],
  ['https://Portal.Contoso.com', 'no-reply@portal.contoso.com'],
  ['https://türen.contoso.com', 'no-reply@xn--tren-0ra.contoso.com'],
])('without MAIL_FROM, the site %s sends mails from its own domain', (publicUrl, sender) => {
  expect(readConfig({ ...testEnvironment, PUBLIC_URL: new URL(publicUrl).origin }).mailFrom).toBe(sender);
});

test.each([
  ['https://Portal.Contoso.com', 'https://portal.contoso.com'],
  ['https://portal.contoso.com:443/', 'https://portal.contoso.com'],
  ['https://türen.contoso.com', 'https://xn--tren-0ra.contoso.com'],
  ['https://portal.contoso.com.', 'https://portal.contoso.com'],
  ['https://portal.contoso.com.:8443/', 'https://portal.contoso.com:8443'],
  ['https://[2001:DB8::7]:443', 'https://[2001:db8::7]'],
])('PUBLIC_URL=%s is read as %s, as browsers send it', (PUBLIC_URL, publicUrl) => {
  expect(readConfig({ ...testEnvironment, PUBLIC_URL }).publicUrl).toBe(publicUrl);
});

test.each([
  ['[::]', '::'],
  ['::1', '::1'],
])('HOST=%s is the address %s', (HOST, host) => {
  expect(readConfig({ ...testEnvironment, HOST }).host).toBe(host);
});

test.each([
  ['PUBLIC_URL', 'https://user:secret@portal.example.com', 'without a path'],
  ['PUBLIC_URL', 'https://portal.example.com?tenant=1', 'without a path'],
  ['SMTP_URL', 'smtp://user:p@ss#word@mail.example.com:587', 'in the password'],
  ['SMTP_URL', 'smtp://user:p@ss/word@mail.example.com:587', 'in the password'],
  ['SMTP_URL', 'smtp://user:pass/word@mail.example.com:587', 'in the password'],
  ['DATABASE_URL', 'postgres://u:p@ss#word@h/d', 'in the password'],
  ['DATABASE_URL', 'postgres://u:p@ss/word@h/d', 'in the password'],
  ['SMTP_URL', 'smtp://', 'smtp://user:password@host:587'],
  ['CLAMD_URL', 'tcp://scanner:99999', 'tcp://host:3310'],
  ['DNS_SERVERS', '192.0.2.1:99999', 'addresses of DNS servers'],
  ['METRICS_TOKEN', 'x'.repeat(201), '16 to 200 characters'],
])('%s=%s is refused', (variable, value, reason) => {
  expect(() => readConfig({ ...testEnvironment, [variable]: value })).toThrow(reason);
});

test('SMTP_URL may have @ in the user name and the parameters', () => {
  const smtpUrl = 'smtp://a@b.de:p%2Fw@h:587?name=a/b@c';
  expect(readConfig({ ...testEnvironment, SMTP_URL: smtpUrl })).toMatchObject({ smtpUrl });
});

test.each([
  'http://localhost:3000',
  'http://portal.localhost',
  'https://203.0.113.7',
  'https://[2001:db8::7]',
])('without MAIL_FROM, the site %s sends mails from example.com', (PUBLIC_URL) => {
  expect(readConfig({ ...testEnvironment, PUBLIC_URL }).mailFrom).toBe('no-reply@example.com');
});

test('without MAIL_FROM and PUBLIC_URL, a site that listens on all addresses sends mails from example.com', () => {
  const { PUBLIC_URL: _, ...rest } = testEnvironment;
  expect(readConfig({ ...rest, HOST: '0.0.0.0' })).toMatchObject({
    isPublic: true,
    mailFrom: 'no-reply@example.com',
  });
});

test('MAIL_FROM replaces the default sender', () => {
  expect(readConfig({ ...testEnvironment, MAIL_FROM: 'door@contoso.com' }).mailFrom).toBe('door@contoso.com');
});

test.each([
  'a@example.com',
  'a@mail.example.org',
  'a@EXAMPLE.net',
  'a@portal.test',
  'a@portal.example',
  'a@no.invalid',
  'a@portal.localhost',
])('the domain of %s is reserved', (address) => expect(isReservedDomain(address)).toBe(true));

test.each(['a@contoso.com', 'a@example.de', 'a@counterexample.com', 'a@test.com', 'a@greatest.com'])(
  'the domain of %s is not reserved',
  (address) => expect(isReservedDomain(address)).toBe(false),
);

test.each(['localhost', 'LOCALHOST', 'portal.localhost', '127.0.0.1', '127.9.8.7', '::1', '[::1]'])(
  'isLoopback returns true for %s',
  (host) => expect(isLoopback(host)).toBe(true),
);

test.each([
  '0.0.0.0',
  '::',
  '10.0.0.1',
  'portal.example.com',
  'localhost.example.com',
  '127.0.0.1.example.com',
  'notlocalhost',
  '',
])('isLoopback returns false for "%s"', (host) => expect(isLoopback(host)).toBe(false));
