/** React wrapper of `personElement`. */
import { avatarElement, personElement } from './person-element.ts';
import type { ShownPerson } from './shown-person.ts';

export function PersonCell({ person }: { person: ShownPerson }) {
  return <span className="person-drawn" ref={(host) => host?.replaceChildren(personElement(person, 2))} />;
}

export function Avatar({ of }: { of: { id: string; name: string } }) {
  return <span className="person-drawn" ref={(host) => host?.replaceChildren(avatarElement(of))} />;
}
