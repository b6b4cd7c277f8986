/** What a grid is asked for: the words searched for, the filters and the order; typed, chosen, or told from outside. */
import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react';
import type { RunningGrid } from '../editions/grid-edition.ts';
import type { GridPages } from './grid-pages.ts';
import type { GridFilter, GridQuestion, GridSort } from './grid-query.ts';

/** Search, filters and order of a grid, and what changes them. */
export type QuestionState = {
  /** What stands in the search box. */
  typed: string;
  setTyped: (text: string) => void;
  filters: readonly GridFilter[];
  /** As the grid says that it is sorted; `ask` and `sortBy` ask it to be. */
  order: GridSort | undefined;
  /** What the rows were last asked for. */
  asked: GridQuestion;
  /** Searches for what is typed, at once. */
  search: () => void;
  filterBy: (filters: readonly GridFilter[]) => void;
  sortBy: (order: GridSort | undefined) => void;
  /** Everything anew; what is left out is none. */
  ask: (question: GridQuestion & { sort?: GridSort }) => void;
  /** The grid has been sorted. */
  onSorted: (order: GridSort | undefined) => void;
};

/** Keeps what a grid is asked for. */
export function useGridQuestion<Row>({
  grid,
  pages,
  filters: given,
  onFiltersChange,
  sort,
  onReordered,
  onOtherRows,
}: {
  grid: RefObject<RunningGrid<Row> | null>;
  pages: GridPages<Row>;
  /** The filters to begin with, and whenever they change from outside. */
  filters: readonly GridFilter[];
  onFiltersChange: ((filters: readonly GridFilter[]) => void) | undefined;
  /** The order to begin with. */
  sort: GridSort | undefined;
  onReordered: () => void;
  /** Search or filters give other rows than before. */
  onOtherRows: () => void;
}): QuestionState {
  const [typed, setTyped] = useState('');
  const [filters, setFilters] = useState(given);
  const [order, setOrder] = useState(sort);
  const givenText = JSON.stringify(given);
  const told = useRef(givenText);

  /** Other rows: from the top. */
  const askFor = (search: string, wanted: readonly GridFilter[]) => {
    const text = JSON.stringify(wanted);
    const isOther = text !== JSON.stringify(filters);
    if (isOther) {
      setFilters(wanted);
      told.current = text;
    }
    if (pages.ask(search, wanted)) {
      onOtherRows();
      const { current } = grid;
      if (current && current.api.getDisplayedRowCount() > 0) current.api.ensureIndexVisible(0, 'top');
      current?.edition.refresh(current.api);
    }
    if (isOther) onFiltersChange?.(wanted);
  };
  const filterBy = (wanted: readonly GridFilter[]) => askFor(pages.question.search ?? '', wanted);
  const sortBy = (wanted: GridSort | undefined) =>
    grid.current?.api.applyColumnState({
      state: wanted ? [{ colId: wanted.column, sort: wanted.direction }] : [],
      defaultState: { sort: null },
    });

  const searchLatest = useEffectEvent((text: string) => askFor(text, filters));
  useEffect(() => {
    const timer = setTimeout(() => searchLatest(typed), 200);
    return () => clearTimeout(timer);
  }, [typed]);

  // Filters from outside replace what is chosen, unless they are only the echo of what this grid has told.
  const filterLatest = useEffectEvent(filterBy);
  useEffect(() => {
    if (told.current !== givenText) filterLatest(JSON.parse(givenText) as GridFilter[]);
    told.current = givenText;
  }, [givenText]);

  return {
    typed,
    setTyped,
    filters,
    order,
    asked: pages.question,
    search: () => askFor(typed, filters),
    filterBy,
    sortBy,
    ask: (wanted) => {
      setTyped(wanted.search ?? '');
      askFor(wanted.search ?? '', wanted.filters ?? []);
      sortBy(wanted.sort);
    },
    onSorted: (next) => {
      pages.restart();
      onReordered();
      setOrder(next);
    },
  };
}
