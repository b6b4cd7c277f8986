import type { CSSProperties } from 'react';
import { letterMarkOf } from '../marks/mark-of.ts';
import type { ShownPerson } from './shown-person.ts';
import './person.css';

/** Maximum length of an address that always fits, in characters, keyed by the number of lines. */
const shortAddress = { 1: 16, 2: 14 };
/** Number of characters kept at the start of a shortened address. */
const startLength = 3;

/** Picture, name and address in a row of fixed height. `lines` is the number of lines for the address. */
export function Person({
  person: { id, name, email },
  lines = name ? 1 : 2,
}: {
  person: ShownPerson;
  lines?: 1 | 2;
}) {
  return (
    <span className="person">
      <Avatar of={{ id, name: name || email }} />
      <span className="person-lines">
        {name && (
          <span className="person-line person-called" dir="auto">
            {name}
          </span>
        )}
        {email && email !== name && <ShortAddress email={email} lines={lines} />}
      </span>
    </span>
  );
}

/** Picture, name and address outside of lists: long names and addresses wrap. */
export function PersonCell({ person }: { person: ShownPerson }) {
  return (
    <span className="person-wrapping">
      <Person person={person} lines={2} />
    </span>
  );
}

/** Decorative avatar with initials. Its color depends on the id. */
export function Avatar({ of: { id, name } }: { of: { id: string; name: string } }) {
  const { hue } = letterMarkOf({ id, name });
  return (
    <span className="avatar" data-initials={initialsOf(name)} style={{ '--hue': hue } as CSSProperties} />
  );
}

/** Address that is shortened in the middle, never in its domain. With two `lines` the domain has its own line. */
export function ShortAddress({ email, lines }: { email: string; lines: 1 | 2 }) {
  const at = email.lastIndexOf('@');
  if (email.length <= shortAddress[lines] || at < 1)
    return (
      <span className="person-line person-address">
        <bdi>{email}</bdi>
      </span>
    );
  const startEnd = lines === 2 ? at : Math.min(at, startLength);
  return (
    <span className="person-address" title={email}>
      <span className="visually-hidden">{email}</span>
      <span className={`address-parts${lines === 2 ? ' address-lines' : ''}`} aria-hidden="true">
        <span className="address-start">{email.slice(0, startEnd)}</span>
        <span className="address-end">
          <bdi>{email.slice(startEnd)}</bdi>
        </span>
      </span>
    </span>
  );
}

/** Returns up to two initials, of the first and last word of a name or the local part of an address. */
export function initialsOf(name: string): string {
  // Digits count only if there are no letters.
  const sign = /\p{L}/u.test(name.split('@')[0] ?? '') ? /\p{L}/u : /\p{N}/u;
  const words = (name.trim().split('@')[0] ?? '').split(/[\s._+-]+/).filter((word) => sign.test(word));
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word = '') => sign.exec(word)?.[0] ?? '',
  );
  return letters.join('').toUpperCase();
}

const address = /([^\s<>(),:;]+@[^\s<>(),:;]+)/;

/** Text with e-mail addresses. A line breaks before the domain of an address, and within a part only if the part is too long for a line. */
export function WithAddresses({ text }: { text: string }) {
  return text
    .split(address)
    .map((part, index) => (index % 2 === 0 ? part : <Address key={index} of={part} />));
}

/** Returns the accessible name of a heading. Needed if it contains an address, which consists of several elements. */
export const headingLabel = (text: string): { 'aria-label'?: string } =>
  address.test(text) ? { 'aria-label': text } : {};

export function Address({ of: whole }: { of: string }) {
  const at = Math.max(whole.lastIndexOf('@'), 0);
  return (
    <>
      <span className="address-part">{whole.slice(0, at)}</span>
      <span className="address-part">{whole.slice(at)}</span>
    </>
  );
}
