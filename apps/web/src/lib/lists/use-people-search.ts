import { listPeople } from '@vestibule/contract/people';
import { useApiQuery } from '../use-api-query.ts';

const shownPeople = 5;

/** Searches people of the site. Returns null for a text of less than two letters. */
export function usePeopleSearch(search: string) {
  const isSearching = search.length > 1;
  const query = useApiQuery(listPeople, {
    key: ['people', 'search', search],
    query: { limit: shownPeople, search },
    enabled: isSearching,
    placeholderData: (previous) => previous,
  });
  return isSearching ? query : null;
}
