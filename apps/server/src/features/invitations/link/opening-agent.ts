/**
 * Guesses whether a link was opened by a person or by a program that looks through mails. Only for the timeline:
 * opening consumes nothing, whoever it is, so a wrong guess costs nothing but a misleading word.
 *
 * A scanner is what asks with HEAD, names no program or one that is no browser, names a known scanner, preview or
 * tool, comes ahead of time (a prefetch), sends no language, looks at a secure page without the Sec-Fetch headers that
 * every browser has sent since 2023, or opens the link within two seconds after the mail left: nobody reads that fast.
 */
import type { IncomingHttpHeaders } from 'node:http';

type Agent = 'person' | 'scanner';

const programs = new RegExp(
  [
    // Programs that say what they are.
    'bot\\b|bot/|crawl|spider|scan|preview|prefetch|monitor|validator|link ?check|headless|phantom|puppeteer|playwright|selenium',
    // Mail gateways and their link protection.
    'proofpoint|mimecast|barracuda|safelinks|existence discovery|symantec|messagelabs|fireeye|trellix|trend ?micro|cloudmark|forcepoint|sophos|ironport|zscaler|avanan|checkpoint|fortinet|bitdefender|kaspersky|urldefense',
    // What data centres run: proxies for images, previews in chats, libraries.
    'googleimageproxy|google-safety|google-inspectiontool|yahoomailproxy|skypeuripreview|whatsapp|facebookexternalhit|embedly|quora link|microsoft office|ms-office|msoffice',
    'curl|wget|python|aiohttp|httpx|java/|okhttp|go-http|libwww|perl|ruby|php|axios|node-fetch|undici|guzzle|postman|insomnia|httpie',
  ].join('|'),
  'i',
);

const secondsNobodyReadsIn = 2;

export function guessAgent(request: {
  method: string;
  headers: IncomingHttpHeaders;
  /** Whether browsers count the site as secure: they send Sec-Fetch headers only there. */
  isSecure: boolean;
  /** Since the mail left; null when it is not known. */
  secondsSinceMail: number | null;
}): Agent {
  const { headers, secondsSinceMail } = request;
  const program = headers['user-agent'] ?? '';
  const purpose = headers['sec-purpose'] ?? headers['purpose'] ?? headers['x-purpose'] ?? '';
  const looksAutomatic =
    request.method === 'HEAD' ||
    !program.startsWith('Mozilla/') ||
    programs.test(program) ||
    /prefetch|prerender|preview/i.test(String(purpose)) ||
    headers['accept-language'] === undefined ||
    (request.isSecure && headers['sec-fetch-mode'] === undefined) ||
    (secondsSinceMail !== null && secondsSinceMail >= 0 && secondsSinceMail < secondsNobodyReadsIn);
  return looksAutomatic ? 'scanner' : 'person';
}
