import { listPeople } from '@vestibule/contract/people';
import { useState } from 'react';
import { useApiQuery } from '../use-api-query.ts';
import { useDebounced } from '../use-debounced.ts';

const shownPeople = 5;
const debounceMs = 150;

/** Searches people of the site after a pause in typing. `query` is null for a text of less than two letters. */
export function usePeopleSearch() {
  const [typed, onType] = useState('');
  const search = useDebounced(typed.trim(), debounceMs);
  const isSearching = search.length > 1;
  const query = useApiQuery(listPeople, {
    key: ['people', 'search', search],
    query: { limit: shownPeople, search },
    enabled: isSearching,
    placeholderData: (previous) => previous,
  });
  return { typed, onType, query: isSearching ? query : null };
}
