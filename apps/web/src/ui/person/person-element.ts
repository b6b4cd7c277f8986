/** Somebody in a list: picture, name, and the address below it. Made without React, for lists that scroll fast. */
import { makeElement } from '../make-element.ts';
import { markOf } from '../marks/mark-of.ts';
import { initialsOf } from './initials.ts';
import type { ShownPerson } from './shown-person.ts';
import './person.css';

/** Shorter ones have room wherever a person is shown, by how many lines they may take. Characters. */
const shortAddress = { 1: 16, 2: 14 };
/** What of an address stays at its start. Characters. */
const keptAtStart = 3;

/** Without `lines` of their own, addresses are kept on one line wherever a name stands above them. */
export function personElement({ id, name, email }: ShownPerson, lines: 1 | 2 = name ? 1 : 2): HTMLElement {
  const texts = makeElement('span', 'person-lines');
  if (name) texts.append(makeElement('span', 'person-line person-called', name));
  if (email && email !== name) texts.append(addressElement(email, lines));
  return makeElement('span', 'person', avatarElement({ id, name: name || email }), texts);
}

/** The picture of whoever has none: initials in a colour of their own. It says nothing that does not stand beside it. */
export function avatarElement({ id, name }: { id: string; name: string }): HTMLElement {
  const avatar = makeElement('span', 'avatar');
  avatar.dataset['initials'] = initialsOf(name);
  avatar.style.setProperty('--hue', markOf({ id, name }).hue);
  return avatar;
}

/**
 * An address that loses its middle where there is too little room, never its domain; whole under the pointer and for screen readers.
 * On two `lines` its domain has one of its own.
 */
export function addressElement(email: string, lines: 1 | 2 = 1): HTMLElement {
  const at = email.lastIndexOf('@');
  if (email.length <= shortAddress[lines] || at < 1)
    return makeElement('span', 'person-line person-address', makeElement('bdi', '', email));
  const kept = lines === 2 ? at : Math.min(at, keptAtStart);
  const shown = makeElement(
    'span',
    lines === 2 ? 'address-parts address-lines' : 'address-parts',
    makeElement('span', 'address-start', email.slice(0, kept)),
    makeElement('span', 'address-end', makeElement('bdi', '', email.slice(kept))),
  );
  shown.ariaHidden = 'true';
  const address = makeElement('span', 'person-address', makeElement('span', 'visually-hidden', email), shown);
  address.title = email;
  return address;
}
