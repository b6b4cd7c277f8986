/** What a grid is asked for: tab, words, filters and order; typed, chosen, or told from outside. */
import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react';
import type { RunningGrid } from '../editions/grid-edition.ts';
import { addressOf, askedBy, type GridAddress, type GridAsked } from './grid-address.ts';
import type { GridPages } from './grid-pages.ts';
import type { GridFilter, GridQuestion, GridSort } from './grid-query.ts';

/** How long after a letter the rows are asked for. Milliseconds. */
const typingPause = 120;

/** What a grid is asked for, and what changes it. */
export type QuestionState = {
  tab: string | undefined;
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
  showTab: (tab: string | undefined) => void;
  filterBy: (filters: readonly GridFilter[]) => void;
  sortBy: (order: GridSort | undefined) => void;
  /** How many rows each of these values of a column would give. */
  countValues: GridPages<never>['countValues'];
  /** Everything anew; what is left out is none, or as it is usual. */
  ask: (asked: Partial<GridAsked>) => void;
  /** The grid has been sorted. */
  onSorted: (order: GridSort | undefined) => void;
};

/** Keeps what a grid is asked for, and tells the address of it. */
export function useGridQuestion<Row>({
  grid,
  pages,
  given,
  onGiven,
  usual,
  onReordered,
  onOtherRows,
}: {
  grid: RefObject<RunningGrid<Row> | null>;
  pages: GridPages<Row>;
  /** What is asked to begin with, and whenever that changes from outside. */
  given: GridAsked;
  /** Another tab is a place to come back from; all else is the same place in another way. */
  onGiven: ((address: GridAddress, isPlace: boolean) => void) | undefined;
  /** The order that is not worth telling. */
  usual: GridSort | undefined;
  onReordered: () => void;
  /** The question gives other rows than before. */
  onOtherRows: () => void;
}): QuestionState {
  const [typed, setTyped] = useState(given.search);
  const [asked, setAsked] = useState(given);
  const [screen] = useState(() => location.pathname);
  const givenText = JSON.stringify(addressOf(given, usual));
  const told = useRef(givenText);
  // What was asked a moment ago, by the same event, is known here before it is in `asked`.
  const latest = useRef(given);
  const { tab, filters, order } = asked;

  const tell = (wanted: GridAsked, isPlace = false) => {
    latest.current = wanted;
    setAsked(wanted);
    const address = addressOf(wanted, usual);
    const text = JSON.stringify(address);
    // Whoever types and goes away at once is not brought back.
    if (text === told.current || location.pathname !== screen) return;
    told.current = text;
    onGiven?.(address, isPlace);
  };

  /** Other rows: from the top. */
  const askFor = (part: Partial<GridAsked>) => {
    const { current: before } = latest;
    const wanted = { ...before, ...part };
    if (pages.ask(wanted)) {
      onOtherRows();
      const { current } = grid;
      if (current && current.api.getDisplayedRowCount() > 0) current.api.ensureIndexVisible(0, 'top');
      current?.edition.refresh(current.api);
    }
    tell(wanted, wanted.tab !== before.tab);
  };
  const sortBy = (wanted: GridSort | undefined) =>
    grid.current?.api.applyColumnState({
      state: wanted ? [{ colId: wanted.column, sort: wanted.direction }] : [],
      defaultState: { sort: null },
    });
  const ask = (wanted: GridAsked) => {
    setTyped(wanted.search);
    const { order: before } = latest.current;
    askFor(wanted);
    if (JSON.stringify(wanted.order) !== JSON.stringify(before)) sortBy(wanted.order);
  };

  const searchLatest = useEffectEvent((text: string) => {
    if (text.trim() !== asked.search.trim()) askFor({ search: text });
  });
  useEffect(() => {
    const timer = setTimeout(() => searchLatest(typed), typingPause);
    return () => clearTimeout(timer);
  }, [typed]);

  // What comes from outside replaces what is asked, unless it is only the echo of what this grid has told.
  const askLatest = useEffectEvent(() => ask(given));
  useEffect(() => {
    if (told.current === givenText) return;
    told.current = givenText;
    askLatest();
  }, [givenText]);

  return {
    tab,
    typed,
    setTyped,
    filters,
    order,
    asked: pages.question,
    search: () => askFor({ search: typed }),
    showTab: (next) => askFor({ tab: next }),
    filterBy: (next) => askFor({ filters: next }),
    sortBy,
    countValues: (column, values, signal) => pages.countValues(column, values, signal),
    ask: (wanted) => ask({ ...askedBy({}, undefined), ...wanted }),
    onSorted: (next) => {
      pages.restart();
      onReordered();
      tell({ ...latest.current, order: next });
    },
  };
}
