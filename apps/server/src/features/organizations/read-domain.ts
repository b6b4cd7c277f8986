/** Reads the domain that a manager enters. Domains of public mail services are refused. */
import { domainTexts } from '@vestibule/contract/organizations/domains';
import { createMessage, type Message } from '@vestibule/contract/texts/text';
import { canonicalEmail, domainOf } from '../../platform/identity/canonical-email.ts';

/** Domains of services that give addresses to everyone. Exact names: bk.ru is such a service, bk.com a company. */
const publicMail = new Set(
  `gmail.com googlemail.com icloud.com me.com mac.com aol.com aol.de aol.co.uk msn.com rocketmail.com
  proton.me protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tuta.com tuta.io tutamail.com fastmail.com fastmail.fm hey.com
  zoho.com zohomail.com mail.com email.com inbox.com duck.com mail.ru bk.ru list.ru inbox.ru internet.ru rambler.ru ya.ru inbox.lv
  qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com aliyun.com naver.com daum.net hanmail.net rediffmail.com
  web.de t-online.de freenet.de arcor.de posteo.de mailbox.org bluewin.ch wanadoo.fr orange.fr free.fr sfr.fr laposte.net
  libero.it virgilio.it tiscali.it alice.it seznam.cz centrum.cz wp.pl o2.pl interia.pl onet.pl comcast.net verizon.net att.net
  sbcglobal.net bellsouth.net charter.net cox.net earthlink.net btinternet.com`.split(/\s+/),
);
/** Services with a domain in many countries. */
const publicMailOfCountry =
  /^(?:outlook|hotmail|live|yahoo|ymail|gmx|yandex)\.(?:[a-z]{2,3}|com?\.[a-z]{2})$/;

const domainMaximum = 232;

/** Accepts `example.com`, `@example.com`, an e-mail address and a web address. Returns the A-label, or the problem. */
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
  return publicMail.has(domain) || publicMailOfCountry.test(domain)
    ? createMessage(domainTexts.publicMail, { domain })
    : domain;
}
