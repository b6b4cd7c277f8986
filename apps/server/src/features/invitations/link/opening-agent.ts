/** Guesses whether a person or a mail scanner opened a link. A wrong guess only affects the timeline and the shown status. */
import type { IncomingHttpHeaders } from 'node:http';

type Agent = 'person' | 'scanner';

const automatedAgents = new RegExp(
  [
    // Self-declared programs.
    'bot\\b|bot/|crawl|spider|scan|preview|prefetch|monitor|validator|link ?check|headless|phantom|puppeteer|playwright|selenium',
    // Mail gateways and link protection.
    'proofpoint|mimecast|barracuda|safelinks|existence discovery|symantec|messagelabs|fireeye|trellix|trend ?micro|cloudmark|forcepoint|sophos|ironport|zscaler|avanan|checkpoint|fortinet|bitdefender|kaspersky|urldefense',
    // Image proxies, chat previews and HTTP libraries.
    'googleimageproxy|google-safety|google-inspectiontool|yahoomailproxy|skypeuripreview|whatsapp|facebookexternalhit|embedly|quora link|microsoft office|ms-office|msoffice',
    'curl|wget|python|aiohttp|httpx|java/|okhttp|go-http|libwww|perl|ruby|php|axios|node-fetch|undici|guzzle|postman|insomnia|httpie',
  ].join('|'),
  'i',
);

const minReadingSeconds = 2;

export function detectOpeningAgent(request: {
  method: string;
  headers: IncomingHttpHeaders;
  /** Browsers send Sec-Fetch headers (since 2023) only to secure sites. */
  isSecure: boolean;
  /** Null if no mail was sent. */
  secondsSinceMail: number | null;
}): Agent {
  const { headers, secondsSinceMail } = request;
  const userAgent = headers['user-agent'] ?? '';
  const purpose = headers['sec-purpose'] ?? headers['purpose'] ?? headers['x-purpose'] ?? '';
  const isAutomated =
    request.method === 'HEAD' ||
    !userAgent.startsWith('Mozilla/') ||
    automatedAgents.test(userAgent) ||
    /prefetch|prerender|preview/i.test(String(purpose)) ||
    headers['accept-language'] === undefined ||
    (request.isSecure && headers['sec-fetch-mode'] === undefined) ||
    (secondsSinceMail !== null && secondsSinceMail >= 0 && secondsSinceMail < minReadingSeconds);
  return isAutomated ? 'scanner' : 'person';
}
