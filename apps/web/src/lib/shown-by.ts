import type { NamedPerson } from '@vestibule/contract/people/named-person';

/** Whoever is known by an address, as lists show people: by name while they are inside. Null where there was nobody. */
export function shownBy(
  address: string | null,
  person: NamedPerson | null,
): { id: string; name: string; email: string } | null {
  if (address === null) return null;
  return { id: person?.id ?? address, name: person?.displayName ?? '', email: address };
}
