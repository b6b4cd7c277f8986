import { t } from '@lingui/core/macro';
import { IconUser } from '@tabler/icons-react';
import { listPeople } from '@vestibule/contract/people';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import type { Finder } from '../../lib/finder.ts';

const fetchPage = fetchPageFrom(listPeople);

/** Maximum number of people that are found by name and then ranked. */
const maximumNameMatches = 50;

export default function peopleFinder(): Finder {
  return {
    title: t`People`,
    icon: IconUser,
    order: 1,
    async search(text, signal) {
      const byName = { column: 'displayName', is: 'contains', text };
      // The text search also matches addresses and returns only the newest matches, so people whose names match better may be missing.
      const pages = await Promise.all([
        fetchPage({ offset: 0, limit: 5, search: text }, signal),
        fetchPage({ offset: 0, limit: maximumNameMatches, filters: [byName] }, signal),
      ]);
      const people = new Map(pages.flatMap(({ rows }) => rows).map((person) => [person.id, person]));
      return [...people.values()].map((person) => ({
        id: `person-${person.id}`,
        label: person.displayName || person.email,
        detail: person.displayName ? person.email : undefined,
        target: { to: '/layout/people/$personId', params: { personId: person.id } },
      }));
    },
  };
}
