/**
 * Layout of all mails: one definition becomes the text and the HTML part. The HTML has inline styles, a 600 px table for Outlook, and
 * colours for light and dark schemes. User-written text is escaped and never becomes a link.
 */
import { deriveAccent } from '@vestibule/contract/rules/accent';
import { isolateRightToLeft } from '@vestibule/contract/texts/isolate';
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import type { MailBlock, MessageTexts } from '../../../platform/mail/message-texts.ts';
import { escapeHtml } from '../../../platform/http/escape-html.ts';

/** From `settings.current()` and the configured public address. */
export type MailSite = {
  productName: string;
  supportEmail: string;
  publicUrl: string;
  /** Empty for no link. */
  privacyUrl: string;
  imprintUrl: string;
  /** Hex colour such as `#0b6653`; empty for the default. */
  accentColor: string;
  /** `path` is relative to the site. Without `alt`, the product name is the alternative text. */
  logo: { path: string; width: number; height: number; alt?: string } | null;
};

export type MailValues = { to: { name: string; address: string }; site: MailSite };

type MailContent = {
  subject: string;
  /** Shown after the subject in mail lists. */
  preheader: string;
  parts: MailBlock[];
  closing: string;
};

const labelsByLanguage = {
  en: {
    hello: (name: string) => (name ? `Hello ${name},` : 'Hello,'),
    copyLink: 'If the button does not work, copy this address into your browser:',
    questions: (support: string) => `Questions? Write to ${support}.`,
    privacy: 'Privacy notice',
    imprint: 'Legal notice',
  },
  de: {
    hello: (name: string) => (name ? `Guten Tag ${name},` : 'Guten Tag,'),
    copyLink: 'Falls die Schaltfläche nicht funktioniert, kopieren Sie diese Adresse in Ihren Browser:',
    questions: (support: string) => `Fragen? Schreiben Sie an ${support}.`,
    privacy: 'Datenschutzhinweise',
    imprint: 'Impressum',
  },
};

/** The colours of the themes Daylight and Nightfall, with readable contrast (both tested). */
export const mailColours = {
  light: {
    page: '#f5f6f2',
    card: '#ffffff',
    text: '#1b2320',
    muted: '#55605a',
    line: '#d9ddd4',
    button: '#0b6653',
    onButton: '#ffffff',
  },
  dark: {
    page: '#14191d',
    card: '#1c2328',
    text: '#e9eded',
    muted: '#a4b0b2',
    line: '#2f383e',
    button: '#7fd1b9',
    onButton: '#06231b',
  },
} as const;

export function composeMail(
  language: MailLanguage,
  { to, site }: MailValues,
  mailContent: MailContent,
): Mail {
  const labels = labelsByLanguage[language];
  const content = isolateNames(mailContent);
  const greeting = isolateRightToLeft(labels.hello(breakLinks(to.name)));
  const questions = labels.questions(site.supportEmail);
  const links = [
    [labels.privacy, site.privacyUrl] as const,
    [labels.imprint, site.imprintUrl] as const,
  ].filter(([, address]) => address !== '');
  return {
    to: { name: oneLine(to.name), address: to.address },
    subject: oneLine(content.subject),
    text: [
      greeting,
      ...content.parts.map(partAsText),
      `${content.closing} ${questions}`,
      ['-- ', site.productName, site.publicUrl, ...links.map((link) => link.join(': '))].join('\n'),
    ].join('\n\n'),
    html: asHtml(language, site, { ...content, greeting, questions, links, copyLink: labels.copyLink }),
  };
}

/** Returns a function that writes a mail. The texts get the name and the address of the site with the values. */
export const composeMessage =
  <Values extends MailValues>(
    textsByLanguage: Record<
      MailLanguage,
      (values: Values & { product: string; publicUrl: string }) => MessageTexts
    >,
  ) =>
  (language: MailLanguage, values: Values): Mail => {
    const { productName: product, publicUrl } = values.site;
    const texts = textsByLanguage[language]({ ...values, product, publicUrl });
    const { subject, parts, preheader = parts[0], closing } = texts;
    const blocks = parts.map((part) => (typeof part === 'string' ? { paragraph: part } : part));
    return composeMail(language, values, { subject, preheader, parts: blocks, closing });
  };

/** Isolates right-to-left names in each sentence. */
const isolateNames = ({ subject, preheader, parts, closing }: MailContent): MailContent => ({
  subject: isolateRightToLeft(subject),
  preheader: isolateRightToLeft(preheader),
  closing: isolateRightToLeft(closing),
  parts: parts.map((part) => {
    if ('paragraph' in part) return { paragraph: isolateRightToLeft(part.paragraph) };
    if ('quote' in part) return { ...part, introduction: isolateRightToLeft(part.introduction) };
    return part;
  }),
});

/** Inserts zero-width non-joiners into addresses, so that mail programs do not turn user-written text into links. */
export const breakLinks = (text: string): string =>
  text.replaceAll(/:(?=\/\/)|(?<=[\p{L}\p{N}-])\.(?=[\p{L}\p{N}-]{2})|@(?=[\p{L}\p{N}])/gu, '$&\u200C');

/** Returns name and address. Names are chosen by users and may mislead; the address identifies the person. */
export const personOf = ({ name, address }: { name: string | null; address: string }): string =>
  !name || name === address ? address : `${breakLinks(name)} (${address})`;

const partAsText = (part: MailBlock): string => {
  if ('paragraph' in part) return part.paragraph;
  if ('code' in part) return part.code;
  if ('link' in part) return `${part.label}:\n${part.link}`;
  return `${part.introduction}\n\n${lines(breakLinks(part.quote))
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')}`;
};

/** Formats of deadlines in a time zone; the default is that of the server, which the variable TZ sets. */
export function createDeadlineFormats(timeZone?: string): Record<MailLanguage, Intl.DateTimeFormat> {
  const parts = {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  } as const;
  return { en: new Intl.DateTimeFormat('en-GB', parts), de: new Intl.DateTimeFormat('de-DE', parts) };
}

const deadlineFormats = createDeadlineFormats();

/** Formats a deadline with the time zone, such as "28 November 2026 at 08:00 UTC": that of the recipient is unknown. */
export const formatDeadline = (language: MailLanguage, end: Date, formats = deadlineFormats): string =>
  formats[language].format(end);

function asHtml(
  language: MailLanguage,
  site: MailSite,
  content: MailContent & {
    greeting: string;
    questions: string;
    links: (readonly [label: string, address: string])[];
    copyLink: string;
  },
): string {
  const light = { ...mailColours.light, ...buttonColours('light', site.accentColor) };
  const dark = { ...mailColours.dark, ...buttonColours('dark', site.accentColor) };
  const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
  const paragraph = `margin:0 0 16px;${font};font-size:16px;line-height:24px;overflow-wrap:anywhere;color:${light.text}`;
  const small = `${font};font-size:14px;line-height:20px;overflow-wrap:anywhere;color:${light.muted}`;
  const parts = content.parts.map((part) => {
    if ('paragraph' in part) return `<p class="text" style="${paragraph}">${escapeHtml(part.paragraph)}</p>`;
    if ('code' in part)
      return `<p class="text" style="margin:0 0 20px;${font};font-size:32px;line-height:40px;font-weight:bold;letter-spacing:4px;color:${light.text}">${escapeHtml(part.code)}</p>`;
    if ('link' in part) {
      const link = escapeHtml(part.link);
      // Outlook ignores padding of links but not of cells.
      return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 16px"><tr>
<td class="button" bgcolor="${light.button}" style="border-radius:8px;background-color:${light.button};padding:12px 24px"><a class="on-button" href="${link}" style="${font};font-size:16px;line-height:24px;font-weight:600;color:${light.onButton};text-decoration:none">${escapeHtml(part.label)}</a></td>
</tr></table>
<p class="muted" style="margin:0 0 24px;${small}">${escapeHtml(content.copyLink)}<br><span style="word-break:break-all">${link}</span></p>`;
    }
    return `<p class="text" style="${paragraph}">${escapeHtml(part.introduction)}</p>
<blockquote class="text line" dir="auto" style="margin:0 0 24px;padding:0 0 0 16px;border-left:4px solid ${light.line};${font};font-size:16px;line-height:24px;color:${light.text}">${lines(breakLinks(part.quote)).map(escapeHtml).join('<br>')}</blockquote>`;
  });
  const links = content.links.map(
    ([label, address]) =>
      `<br><a class="muted" href="${escapeHtml(address)}" style="color:${light.muted}">${escapeHtml(label)}</a>`,
  );
  const name = escapeHtml(site.productName);
  const brand = site.logo
    ? `<img src="${escapeHtml(new URL(site.logo.path, site.publicUrl).href)}" alt="${escapeHtml(site.logo.alt ?? site.productName)}" ${sizeInMail(site.logo)} style="display:block;border:0;max-width:100%;${font};font-size:20px;font-weight:600;color:${light.text}">`
    : name;
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(oneLine(content.subject))}</title>
<style>:root{color-scheme:light dark}
@media (max-width:480px){.inner{padding-left:20px!important;padding-right:20px!important}}
${darkSchemeQuery}.page{background-color:${dark.page}!important}.card{background-color:${dark.card}!important}.text{color:${dark.text}!important}.muted{color:${dark.muted}!important}.line{border-color:${dark.line}!important}.button{background-color:${dark.button}!important}.on-button{color:${dark.onButton}!important}}</style></head>
<body class="page" style="margin:0;padding:0;background-color:${light.page}">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(content.preheader)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${light.page}" style="background-color:${light.page}"><tr><td align="center" style="padding:24px 12px">
<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${light.card}" style="max-width:600px;border-radius:12px;background-color:${light.card}">
<tr><td class="text inner" align="left" style="padding:32px 32px 8px;${font};font-size:20px;line-height:28px;font-weight:600;color:${light.text}">${brand}</td></tr>
<tr><td class="inner" align="left" style="padding:16px 32px 32px">
<p class="text" style="${paragraph}">${escapeHtml(content.greeting)}</p>
${parts.join('\n')}
<p class="muted line" style="margin:0;padding:16px 0 0;border-top:1px solid ${light.line};${small}">${escapeHtml(content.closing)} ${escapeHtml(content.questions)}${links.join('')}</p>
</td></tr></table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body></html>`;
}

/** Adjusts the site's accent colour for readable buttons. */
function buttonColours(kind: 'light' | 'dark', accentColor: string) {
  if (accentColor === '') return {};
  const { accent, text } = deriveAccent(accentColor, { kind, surfaces: [mailColours[kind].card] });
  return { button: accent, onButton: text };
}

const darkSchemeQuery = '@media (prefers-color-scheme:dark){';

/** Renders a mail's HTML in one colour scheme, regardless of the preference of the client. */
export function inColorScheme(html: string, scheme: keyof typeof mailColours): string {
  const rules = scheme === 'dark' ? '@media all{' : '@media not all{';
  return html
    .replace(darkSchemeQuery, rules)
    .replace(':root{color-scheme:light dark}', `:root{color-scheme:${scheme}}`);
}

/** Limits a logo to 240 by 48 px. Outlook uses only these attributes, not styles. */
function sizeInMail({ width, height }: { width: number; height: number }): string {
  const factor = Math.min(1, 48 / height, 240 / width);
  return `width="${Math.max(1, Math.round(width * factor))}" height="${Math.max(1, Math.round(height * factor))}"`;
}

const lines = (text: string): string[] => text.split(/\r\n|[\n\r\u0085\u2028\u2029]/);

/** Removes line breaks and control characters, for headers. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
