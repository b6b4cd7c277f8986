/** Picture, name and address of a person, created without React for fast scrolling lists. */
import { makeElement } from '../make-element.ts';
import { letterMarkOf } from '../marks/mark-of.ts';
import { initialsOf } from './initials.ts';
import type { ShownPerson } from './shown-person.ts';
import './person.css';

/** Maximum length of an address that always fits, in characters, keyed by the number of lines. */
const shortAddress = { 1: 16, 2: 14 };
/** Number of characters kept at the start of a shortened address. */
const startLength = 3;

/** `lines` is the number of lines for the address. Default: one if there is a name, otherwise two. */
export function personElement({ id, name, email }: ShownPerson, lines: 1 | 2 = name ? 1 : 2): HTMLElement {
  const texts = makeElement('span', 'person-lines');
  if (name) texts.append(makeElement('span', 'person-line person-called', name));
  if (email && email !== name) texts.append(addressElement(email, lines));
  return makeElement('span', 'person', avatarElement({ id, name: name || email }), texts);
}

/** Creates a decorative avatar with initials. Its color depends on the id. */
export function avatarElement({ id, name }: { id: string; name: string }): HTMLElement {
  const avatar = makeElement('span', 'avatar');
  avatar.dataset['initials'] = initialsOf(name);
  avatar.style.setProperty('--hue', letterMarkOf({ id, name }).hue);
  return avatar;
}

/** Creates an address that is shortened in the middle, never in its domain. With two `lines` the domain has its own line. */
export function addressElement(email: string, lines: 1 | 2 = 1): HTMLElement {
  const at = email.lastIndexOf('@');
  if (email.length <= shortAddress[lines] || at < 1)
    return makeElement('span', 'person-line person-address', makeElement('bdi', '', email));
  const startEnd = lines === 2 ? at : Math.min(at, startLength);
  const shown = makeElement(
    'span',
    lines === 2 ? 'address-parts address-lines' : 'address-parts',
    makeElement('span', 'address-start', email.slice(0, startEnd)),
    makeElement('span', 'address-end', makeElement('bdi', '', email.slice(startEnd))),
  );
  shown.ariaHidden = 'true';
  const address = makeElement('span', 'person-address', makeElement('span', 'visually-hidden', email), shown);
  address.title = email;
  return address;
}
