import { listPeople } from '@vestibule/contract/people';
import { useDeferredValue, useState } from 'react';
import { useApiQuery } from '../use-api-query.ts';

const shownPeople = 5;

/** Searches people of the site while the user types, from two letters on. */
export function usePeopleSearch() {
  const [typed, onType] = useState('');
  const search = useDeferredValue(typed.trim());
  const isSearching = search.length > 1;
  const query = useApiQuery(listPeople, {
    key: ['people', 'search', search],
    query: { limit: shownPeople, search },
    enabled: isSearching,
    placeholderData: (previous) => previous,
  });
  return { typed, onType, query: isSearching ? query : null };
}
