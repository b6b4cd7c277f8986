import { readdirSync, readFileSync } from 'node:fs';
import { contrast } from '@vestibule/contract/rules/accent';
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import { describe, expect, test } from 'vitest';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import {
  writeAddressChangeMail,
  writeDisabledMail,
  writeDomainMail,
  writeOrganizationExpiryMail,
  writeRoleChangeMail,
  writeTestMail,
  writeTokenExpiryMail,
  writeWebhookDisabledMail,
} from './administration-mails.ts';
import { writeInvitationMail, writeNewLinkMail, writeReminderMail } from './invitation-mails.ts';
import {
  createDeadlineFormats,
  formatDeadline,
  inColorScheme,
  mailColours,
  type MailValues,
} from './layout.ts';
import { writeApprovalMail, writeDeclineMail, writeRequestMail } from './joining-mails.ts';
import {
  writeIdentityChangeMail,
  writeMigrationMail,
  writePasskeyMail,
  writeSignInCodeMail,
} from './sign-in-mails.ts';

const values: MailValues = {
  to: { name: 'Ann', address: 'ann@example.com' },
  site: {
    productName: 'Portal & Co',
    supportEmail: 'help@example.com',
    publicUrl: 'https://portal.example.com',
    privacyUrl: '',
    imprintUrl: '',
    accentColor: '',
    logo: null,
  },
};
const link = 'https://portal.example.com/signup?i=CODE';
const expiresAt = new Date('2026-11-28T08:00:00Z');
const invitation = {
  ...values,
  link,
  expiresAt,
  message: '',
  invitedBy: { name: null, address: 'ben@example.com' },
};
const domain = {
  ...values,
  domain: 'acme.example',
  recordName: '_vestibule.acme.example',
  organization: { name: 'Acme', slug: 'acme' },
};
const move = { ...values, link, expiresAt, methodLabel: 'Acme' };

const mails = {
  invitation: (language) => writeInvitationMail(language, invitation),
  'invitation with a message': (language) =>
    writeInvitationMail(language, { ...invitation, message: 'See you\ninside' }),
  'invitation by the server': (language) => writeInvitationMail(language, { ...invitation, invitedBy: null }),
  reminder: (language) => writeReminderMail(language, { ...values, link, expiresAt }),
  'new link': (language) => writeNewLinkMail(language, { ...values, link, expiresAt }),
  'role change to administrator': (language) => writeRoleChangeMail(language, { ...values, role: 'admin' }),
  'role change to member': (language) => writeRoleChangeMail(language, { ...values, role: 'member' }),
  'address change': (language) =>
    writeAddressChangeMail(language, { ...values, before: 'ann@example.com', after: 'berg@example.com' }),
  disabled: (language) => writeDisabledMail(language, values),
  'another sign-in method': (language) =>
    writeIdentityChangeMail(language, { ...values, change: 'added', methodLabel: 'Acme' }),
  'one sign-in method less': (language) =>
    writeIdentityChangeMail(language, { ...values, change: 'removed', methodLabel: 'Acme' }),
  'move to another provider': (language) => writeMigrationMail(language, { ...move, isReminder: false }),
  'move to another provider, reminder': (language) =>
    writeMigrationMail(language, { ...move, isReminder: true }),
  'code of an invitation': (language) => writeSignInCodeMail(language, { ...values, code: '123456' }),
  'code of a move': (language) =>
    writeSignInCodeMail(language, { ...values, code: '123456', purpose: 'move' }),
  'code of a confirmation': (language) =>
    writeSignInCodeMail(language, { ...values, code: '123456', purpose: 'confirm' }),
  'code of a sign-in': (language) =>
    writeSignInCodeMail(language, {
      ...values,
      code: '123456',
      again: { from: { browser: 'Firefox', system: 'Linux', address: '192.0.2.7' }, link },
    }),
  'webhook failing': (language) =>
    writeWebhookDisabledMail(language, { ...values, host: 'crm.example.com', reason: 'failing' }),
  'webhook gone': (language) =>
    writeWebhookDisabledMail(language, { ...values, host: 'crm.example.com', reason: 'gone' }),
  'token expires': (language) =>
    writeTokenExpiryMail(language, { ...values, name: 'Import', expiresAt, slug: null }),
  'token of an organization expires': (language) =>
    writeTokenExpiryMail(language, { ...values, name: 'Import', expiresAt, slug: 'acme' }),
  'request to join': (language) =>
    writeRequestMail(language, { ...domain, requester: { name: 'Ben', address: 'ben@acme.example' } }),
  'request approved': (language) => writeApprovalMail(language, domain),
  'request declined': (language) => writeDeclineMail(language, domain),
  'domain failing': (language) => writeDomainMail(language, { ...domain, state: 'failing' }),
  'domain no longer verified': (language) => writeDomainMail(language, { ...domain, state: 'pending' }),
  'organization expires': (language) => writeOrganizationExpiryMail(language, { ...domain, expiresAt }),
  'passkey added': (language) =>
    writePasskeyMail(language, { ...values, news: { kind: 'added', name: 'Phone' } }),
  'passkey renamed': (language) =>
    writePasskeyMail(language, { ...values, news: { kind: 'renamed', name: 'Phone' } }),
  'passkey removed': (language) => writePasskeyMail(language, { ...values, news: { kind: 'removed' } }),
  'sign-in reset': (language) => writePasskeyMail(language, { ...values, news: { kind: 'reset' } }),
  test: (language) => writeTestMail(language, values),
} satisfies Record<string, (language: MailLanguage) => Mail>;
const all = Object.entries(mails).flatMap(([name, write]) =>
  (['en', 'de'] as const).map((language) => [name, language, write(language)] as const),
);

test('every mail template is tested here', () => {
  const written = readdirSync(import.meta.dirname).flatMap((file) =>
    file.endsWith('.test.ts')
      ? []
      : [
          ...readFileSync(`${import.meta.dirname}/${file}`, 'utf8').matchAll(
            /export (?:function|const) (write\w+)/g,
          ),
        ],
  );
  expect(written.length).toBeGreaterThan(9);
  const allMails = Object.values(mails).join('\n');
  for (const [, name] of written) expect(allMails).toContain(name);
});

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
const plain = (html: string) => html.replaceAll(/&[^;]+;/g, (entity) => entities[entity] ?? entity);

/** Returns the words of the HTML without styles. */
const textWords = (html: string) =>
  plain(
    html
      .replace(/<head>.*<\/head>/s, '')
      .replaceAll(/<!--.*?-->/gs, '')
      .replaceAll(/<[^>]+>/g, ' '),
  )
    .split(/\s+/)
    .filter(Boolean);

describe.each(all)('mail "%s" in %s', (_, language, mail) => {
  test('has the same content as text and as HTML (N)', () => {
    const html = textWords(mail.html).join(' ');
    const body = mail.text.split('\n-- \n')[0] ?? '';
    for (const line of body
      .split('\n')
      .map((quoted) => quoted.replace(/^> ?/, '').trim())
      .filter(Boolean))
      expect(html).toContain(line.replace(/:$/, ''));
    expect(mail.text).toContain('Portal & Co');
    expect(mail.subject).toContain('Portal & Co');
    expect(mail.text).toContain('help@example.com');
    expect(mail.html).toContain(`<html lang="${language}">`);
    expect(`${mail.text}${mail.html}`).not.toMatch(/undefined|null|\[object|NaN/);
  });

  test('has at most one link, to the site, that the text part contains as well (security 30)', () => {
    const links = [...mail.html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => plain(href));
    expect(links.length).toBeLessThanOrEqual(1);
    for (const href of links) {
      expect(href).toMatch(/^https:\/\/portal\.example\.com\//);
      expect(textWords(mail.html)).toContain(href);
      expect(mail.text.split('\n')).toContain(href);
    }
  });

  test('loads no external content and fits a phone (N)', () => {
    expect(mail.html).not.toMatch(/<(?:script|link|iframe|img|form|object)\b|url\(|@import/i);
    expect(mail.html).toContain('max-width:600px');
    expect(mail.html).toContain('<meta name="color-scheme" content="light dark">');
    expect(Buffer.byteLength(mail.html)).toBeLessThan(20_000);
  });
});

test('both languages differ in every mail (N)', () => {
  for (const write of Object.values(mails)) {
    expect(write('de').subject).not.toBe(write('en').subject);
    const german = write('de').text.split('\n');
    const same = write('en')
      .text.split('\n')
      .filter((line) => /[a-z]{4} /.test(line) && german.includes(line));
    expect(same.filter((line) => line !== 'Portal & Co' && !line.startsWith('>'))).toEqual([]);
  }
});

test('an invitation names the inviter, the deadline and the recipient (N)', () => {
  const { text } = mails['invitation with a message']('en');
  expect(text).toContain('Hello Ann,');
  expect(text).toContain('ben@example.com invites you to Portal & Co.');
  expect(text).toContain('ben@example.com writes:\n\n> See you\n> inside');
  expect(text).toContain('The link is for ann@example.com and works until 28 November 2026 at 08:00 UTC.');
  const { text: byName } = writeInvitationMail('en', {
    ...invitation,
    message: 'See you',
    invitedBy: { name: 'Ben Builder', address: 'ben@example.com' },
  });
  expect(byName).toContain('Ben Builder (ben@example.com) invites you to Portal & Co.');
  expect(byName).toContain('Ben Builder writes:');
  const german = mails['invitation with a message']('de');
  expect(german.text).toContain('Guten Tag Ann,');
  expect(german.text).toContain('bis zum 28. November 2026 um 08:00 UTC');
});

test('a deadline is in the time zone of the server', () => {
  const formats = createDeadlineFormats('Europe/Berlin');
  expect(formatDeadline('en', expiresAt, formats)).toBe('28 November 2026 at 09:00 CET');
  expect(formatDeadline('de', expiresAt, formats)).toBe('28. November 2026 um 09:00 MEZ');
});

test('every mail with a deadline names its time and time zone', () => {
  for (const [name, write] of Object.entries(mails))
    for (const language of ['en', 'de'] as const) {
      const { subject, text, html } = write(language);
      for (const part of [subject, text, html]) {
        const days = part.match(/28\.? November 2026/g) ?? [];
        const ends = part.match(/28 November 2026 at 08:00 UTC|28\. November 2026 um 08:00 UTC/g) ?? [];
        expect(ends, `${name} ${language}`).toHaveLength(days.length);
      }
    }
});

describe('user-written text in mails', () => {
  const hostile =
    'Ann\r\nBcc: evil@example.com\u2028X: <img src=x onerror=alert(1)> <a href="https://evil.example/x">click</a> www.evil.example evil@evil.example';
  const mail = writeInvitationMail('en', {
    ...invitation,
    to: { name: hostile, address: 'ann@example.com' },
    message: `${hostile}\n.\n</blockquote></table>{{7*7}}`,
    invitedBy: { name: 'Account locked, see https://evil.example', address: 'ben@example.com' },
  });

  test('is a single line in headers (security 29)', () => {
    expect(mail.to.name).not.toMatch(/[\r\n\u2028]/);
    const named = writeInvitationMail('en', {
      ...invitation,
      site: { ...values.site, productName: 'A\r\nBcc: b@example.com\u2028c' },
    });
    expect(named.subject).toBe('Your invitation to A Bcc: b@example.com c');
  });

  test('is escaped and quoted (security 30)', () => {
    expect(mail.html).not.toMatch(/<img|<a href="https:\/\/evil|<\/blockquote><\/table>/);
    expect(mail.html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(mail.html.match(/<blockquote /g)).toHaveLength(1);
    const quoted = mail.text.split('writes:\n\n')[1]?.split('\n\nSign up')[0]?.split('\n') ?? [];
    expect(quoted.length).toBe(5);
    for (const line of quoted) expect(line.startsWith('>')).toBe(true);
  });

  test('is not turned into links by mail programs (security 30)', () => {
    const likeALink = /https?:\/\/[\w-]+\.[\w-]+|www\.\w|\w+@\w[\w-]*\.\w/g;
    for (const text of [mail.text, textWords(mail.html).join(' ')]) {
      const found = new Set(text.match(likeALink));
      expect(found).toEqual(
        new Set(['https://portal.example', 'ben@example.c', 'ann@example.c', 'help@example.c']),
      );
    }
  });
});

test('the logo is loaded from the public address, with size attributes for Outlook (K5)', () => {
  const { html } = writeTestMail('en', {
    ...values,
    site: { ...values.site, productName: '"P"', logo: { path: '/api/logo?v=abc', width: 1200, height: 240 } },
  });
  expect(html).toContain(
    '<img src="https://portal.example.com/api/logo?v=abc" alt="&quot;P&quot;" width="240" height="48"',
  );
});

test('a requested colour scheme overrides the preference of the browser (K5)', () => {
  const { html } = mails.invitation('en');
  expect(html).toContain('@media (prefers-color-scheme:dark){');
  expect(inColorScheme(html, 'dark')).toContain('@media all{.page{');
  expect(inColorScheme(html, 'light')).toContain('@media not all{.page{');
});

describe.each(['light', 'dark'] as const)('mail colours in the %s scheme', (scheme) => {
  const colours = mailColours[scheme];
  test.each([
    ['text', 'card'],
    ['muted', 'card'],
    ['onButton', 'button'],
    ['text', 'page'],
  ] as const)('%s is readable on %s (WCAG 2.2, 1.4.3)', (text, ground) => {
    expect(contrast(colours[text], colours[ground])).toBeGreaterThanOrEqual(4.5);
  });

  test('the button has the accent colour of the site in a readable shade (G1)', () => {
    const { html } = writeRoleChangeMail('en', {
      ...values,
      role: 'member',
      site: { ...values.site, accentColor: '#ffd400' },
    });
    const [, button = '', onButton = ''] = (
      scheme === 'light'
        ? /bgcolor="(#\w+)" style="border-radius:8px.*?color:(#\w+);text-decoration:none/s
        : /\.button\{background-color:(#\w+)!important\}\.on-button\{color:(#\w+)!/
    ).exec(html) as string[];
    expect(button).not.toBe(colours.button);
    expect(contrast(onButton, button)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(button, colours.card)).toBeGreaterThanOrEqual(4.5);
  });
});
