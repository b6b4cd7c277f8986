// What a grid is asked for: the words searched for, the filters and the order; typed, chosen, or told from outside.
import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react';
import type { RunningGrid } from '../editions/grid-edition.ts';
import type { GridPages } from './grid-pages.ts';
import type { GridFilter, GridSort } from './grid-query.ts';

/** Search, filters and order of a grid, and what changes them. */
export function useGridQuestion<Row>({
  grid,
  pages,
  search,
  onSearchChange,
  filters: firstFilters,
  onFiltersChange,
  sort,
  onOtherRows,
}: {
  grid: RefObject<RunningGrid<Row> | null>;
  pages: GridPages<Row>;
  /** The search to begin with, and whenever it changes from outside. */
  search: string;
  onSearchChange: ((search: string) => void) | undefined;
  /** Likewise. */
  filters: readonly GridFilter[];
  onFiltersChange: ((filters: readonly GridFilter[]) => void) | undefined;
  sort: GridSort | undefined;
  /** Search or filters give other rows than before. */
  onOtherRows: () => void;
}) {
  const [typed, setTyped] = useState(search);
  const [given, setGiven] = useState(search);
  const [told, setTold] = useState(search);
  const [filters, setFilters] = useState(firstFilters);
  const [order, setOrder] = useState(sort);
  const givenFilters = JSON.stringify(firstFilters);
  const toldFilters = useRef(givenFilters);

  /** Other rows: from the top. */
  const ask = (words: string, wanted: readonly GridFilter[]) => {
    if (!pages.ask(words, wanted)) return;
    onOtherRows();
    const { current } = grid;
    if (!current) return;
    if (current.api.getDisplayedRowCount() > 0) current.api.ensureIndexVisible(0, 'top');
    current.edition.refresh(current.api);
  };

  const searchFor = (text: string) => {
    const words = text.trim();
    if (words === (pages.question.search ?? '')) return;
    ask(words, filters);
    setTold(words);
    onSearchChange?.(words);
  };

  const filterBy = (next: readonly GridFilter[]) => {
    if (JSON.stringify(next) === JSON.stringify(filters)) return;
    setFilters(next);
    toldFilters.current = JSON.stringify(next);
    ask(pages.question.search ?? '', next);
    onFiltersChange?.(next);
  };

  const sortBy = (next: GridSort | undefined) => {
    grid.current?.api.applyColumnState({
      state: next ? [{ colId: next.column, sort: next.direction }] : [],
      defaultState: { sort: null },
    });
  };

  const searchLatest = useEffectEvent(searchFor);
  useEffect(() => {
    const timer = setTimeout(() => searchLatest(typed), 200);
    return () => clearTimeout(timer);
  }, [typed]);

  // Filters from outside replace what is chosen, unless they are only the echo of what this grid has told.
  const filterLatest = useEffectEvent(filterBy);
  useEffect(() => {
    if (toldFilters.current !== givenFilters) filterLatest(JSON.parse(givenFilters) as GridFilter[]);
    toldFilters.current = givenFilters;
  }, [givenFilters]);

  // A search from outside replaces what is typed, unless it is only the echo of what this grid has told.
  if (given !== search) {
    setGiven(search);
    if (search !== told) setTyped(search);
  }

  return {
    typed,
    setTyped,
    filters,
    /** As the grid says that it is sorted; `sortBy` asks it to be. */
    order,
    setOrder,
    searchFor,
    filterBy,
    sortBy,
  };
}
