import { use, useEffect, useEffectEvent, useState, type RefObject } from 'react';
import { describeFailure } from '../../../language/call-failure.ts';
import type { RunningGrid } from '../editions/grid-edition.ts';
import type { GridSource } from '../grid-props.ts';
import { GridPages, type PagesState } from './grid-pages.ts';
import type { GridListState } from './grid-address.ts';
import { GridServerContext } from './grid-server.ts';

export type GridRows<Row> = {
  pages: GridPages<Row>;
  /** Number of matching rows; undefined until counted. */
  total: number | undefined;
  /** Description of the error if rows are missing. */
  error: ReturnType<typeof describeFailure> | null;
  /** Fetches the rows again. The visible rows stay until then. */
  refresh: () => void;
};

/** Loads the rows of a source, and loads them again after server-sent changes. */
export function useGridRows<Row>({
  grid,
  source,
  initial,
  onAnswer,
}: {
  grid: RefObject<RunningGrid<Row> | null>;
  source: GridSource<Row>;
  initial: GridListState;
  /** Called when the grid has received rows. */
  onAnswer: () => void;
}): GridRows<Row> {
  const server = use(GridServerContext);
  const [{ total, failure }, setState] = useState<PagesState>({});
  const fetchLatest = useEffectEvent(source.fetchPage);
  const onState = useEffectEvent(({ counted, ...state }: PagesState) => {
    setState(state);
    if (counted === undefined) return onAnswer();
    const { current } = grid;
    current?.edition.setRowCount(current.api, counted);
    return undefined;
  });
  const [pages] = useState(
    () =>
      new GridPages<Row>(
        (request, signal) => fetchLatest(request, signal),
        (state) => onState(state),
        initial,
        source.within,
      ),
  );

  const refresh = () => {
    pages.restart();
    if (!grid.current) return;
    const { api, edition } = grid.current;
    edition.refresh(api);
    if (api.getDisplayedRowAtIndex(0)?.data !== undefined) return;
    // While the grid is scrolled down, it does not request the first page, which is the only page with the total.
    void pages.count();
  };

  const refreshLatest = useEffectEvent(refresh);
  const { changesOf } = source;
  useEffect(
    () => (server && changesOf ? server.watch([changesOf], () => refreshLatest()) : undefined),
    [server, changesOf],
  );

  const error = failure === undefined ? null : describeFailure(failure);
  return { pages, total, error, refresh };
}
