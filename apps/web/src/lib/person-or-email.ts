import type { NamedPerson } from '@vestibule/contract/people/named-person';

type ShownPerson = { id: string; name: string; email: string };

/** Returns the person who has the address, or only the address if it belongs to no account. Returns null without an address. */
export function personOrEmail(address: string, person: NamedPerson | null): ShownPerson;
export function personOrEmail(address: string | null, person: NamedPerson | null): ShownPerson | null;
export function personOrEmail(address: string | null, person: NamedPerson | null): ShownPerson | null {
  if (address === null) return null;
  return { id: person?.id ?? address, name: person?.displayName ?? '', email: address };
}
