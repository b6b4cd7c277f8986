/** Reads the domain that a person has typed. */
import { domainTexts } from '@vestibule/contract/organizations/domains';
import { createMessage, type Message } from '@vestibule/contract/texts/text';
import { canonicalEmail, domainOf } from '../../platform/identity/canonical-email.ts';

/** Services that give addresses to everyone. The names before the country, such as `yahoo` in `yahoo.co.uk`, cover all countries. */
const publicMail =
  /^(?:(?:gmail|googlemail|aol|icloud|me|mac|proton|protonmail|pm|tutanota|tuta|fastmail|zoho|mail|inbox|qq|163|126|sina|naver|daum|hanmail|web|t-online|freenet|arcor|posteo|mailbox|bluewin|wanadoo|orange|laposte|free|libero|virgilio|seznam|wp|o2|interia|onet|rambler|bk|list|comcast|verizon|att|sbcglobal|cox|earthlink|btinternet|rediffmail)\.(?:com|net|org|de|ch|fr|it|cz|pl|ru|me|io|in|kr|cn)|(?:outlook|hotmail|live|msn|yahoo|ymail|gmx|yandex)\.(?:[a-z]{2,3}|com?\.[a-z]{2}))$/;

const domainMaximum = 232;

/** Understands `example.com`, `@example.com`, an address, and a web address. Returns the A-label, or the problem. */
export function readDomain(text: string): string | Message {
  const host =
    text
      .trim()
      .replace(/^[a-z]+:\/\//i, '')
      .split(/[/?#]/)[0] ?? '';
  const name = (host.split('@').at(-1) ?? '').replace(/:\d+$/, '').replace(/\.$/, '');
  const address = canonicalEmail(`someone@${name}`);
  const domain = address === null ? '' : domainOf(address);
  if (!/\.[a-z][a-z0-9-]*$/.test(domain) || domain.length > domainMaximum)
    return createMessage(domainTexts.invalid);
  return publicMail.test(domain) ? createMessage(domainTexts.publicMail, { domain }) : domain;
}
