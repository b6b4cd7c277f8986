import type { NamedPerson } from '@vestibule/contract/people/named-person';

type Shown = { id: string; name: string; email: string };

/** Whoever is known by an address, as lists show people: by name while they are inside. Null where there was nobody. */
export function personOrEmail(address: string, person: NamedPerson | null): Shown;
export function personOrEmail(address: string | null, person: NamedPerson | null): Shown | null;
export function personOrEmail(address: string | null, person: NamedPerson | null): Shown | null {
  if (address === null) return null;
  return { id: person?.id ?? address, name: person?.displayName ?? '', email: address };
}
