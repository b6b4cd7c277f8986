import { use, useEffect, useEffectEvent, useState, type RefObject } from 'react';
import { describeFailure } from '../../../language/call-failure.ts';
import type { RunningGrid } from '../editions/grid-edition.ts';
import type { GridSource } from '../grid-props.ts';
import { GridPages, type PagesState } from './grid-pages.ts';
import type { GridAsked } from './grid-address.ts';
import { GridServerContext } from './grid-server.ts';

/** The rows of a grid: their pages, what has become of them, and how they are fetched again. */
export type GridRows<Row> = {
  pages: GridPages<Row>;
  /** All that match; undefined until the server has counted them. */
  total: number | undefined;
  /** Why some of them are missing, in words. */
  trouble: ReturnType<typeof describeFailure> | null;
  /** Fetches them again; those on the screen stay meanwhile. */
  refresh: () => void;
};

/** The rows of a source, fetched again when the server tells of a change. `asked` is what is asked for to begin with. */
export function useGridRows<Row>({
  grid,
  source,
  asked,
  onAnswer,
}: {
  grid: RefObject<RunningGrid<Row> | null>;
  source: GridSource<Row>;
  asked: GridAsked;
  /** Called after every answer, when the grid has its rows. */
  onAnswer: () => void;
}): GridRows<Row> {
  const server = use(GridServerContext);
  const [{ total, failure }, setState] = useState<PagesState>({});
  const fetchLatest = useEffectEvent(source.fetchPage);
  const tellLatest = useEffectEvent(({ counted, ...told }: PagesState) => {
    setState(told);
    if (counted === undefined) return onAnswer();
    const { current } = grid;
    current?.edition.setRowCount(current.api, counted);
    return undefined;
  });
  const [pages] = useState(
    () =>
      new GridPages<Row>(
        (query, signal) => fetchLatest(query, signal),
        (told) => tellLatest(told),
        asked,
        source.within,
      ),
  );

  const refresh = () => {
    pages.restart();
    if (!grid.current) return;
    const { api, edition } = grid.current;
    edition.refresh(api);
    if (api.getDisplayedRowAtIndex(0)?.data !== undefined) return;
    // Far down nobody asks for the first page, which is the one that counts.
    void pages.count();
  };

  const refreshLatest = useEffectEvent(refresh);
  const { changesOf } = source;
  useEffect(
    () => (server && changesOf ? server.watch([changesOf], () => refreshLatest()) : undefined),
    [server, changesOf],
  );

  const trouble = failure === undefined ? null : describeFailure(failure);
  return { pages, total, trouble, refresh };
}
