/** A grid of server-side rows with search, filters, columns, views, selection and export. grid-view.tsx renders the rows. */
import { Suspense, use, useRef, useState, type KeyboardEvent } from 'react';
import { RowMenu } from '../menu/row-menu.tsx';
import { useElementWidth } from '../use-element-width.ts';
import { DetailPanelContext } from './detail-panel/panel-position.ts';
import { useDetailPanel } from './detail-panel/use-detail-panel.ts';
import { preserveClickTarget } from './cells/preserve-click-target.ts';
import { useStoredGridState } from './columns/stored-grid-state.ts';
import { useGridColumns } from './columns/use-grid-columns.ts';
import type { RunningGrid } from './editions/grid-edition.ts';
import { ExportMenu } from './export/export-menu.tsx';
import { FilterChips } from './filter/filter-chips.tsx';
import { GridBar, SelectionBar } from './grid-bar.tsx';
import { GridPanels, type OpenPanel } from './grid-panels.tsx';
import type { GridParts } from './grid-parts.ts';
import type { DataGridProps } from './grid-props.ts';
import { GridCover, GridSkeleton, GridError } from './grid-states.tsx';
import type { GridViewProps } from './grid-view.tsx';
import { loadedGrid } from './load-grid.ts';
import type { GridRow } from './rows/grid-pages.ts';
import { GridServerContext } from './rows/grid-server.ts';
import { copyRows } from './selection/grid-copy.ts';
import { GridTabs } from './tabs/grid-tabs.tsx';
import { useGridList } from './use-grid-list.ts';
import { useRowMenu } from './use-row-menu.ts';
import { useGridViews } from './views/use-grid-views.ts';
import { ViewsMenu } from './views/views-menu.tsx';
import './grid.css';
import './cells/cells.css';
import './columns/columns.css';
import './filter/filter.css';

/** If the grid is narrower than this, each row is one cell, and a sheet replaces the headers. CSS pixels. */
const narrowBelow = 620;

/** Requires an earlier call of `loadGrid`. */
export function DataGrid<Row extends GridRow>(props: DataGridProps<Row>) {
  const { label, countOf, source, columns: defined, emptyState, onRowOpen, rowActions } = props;
  const { detailPanel, bulkActions = [] } = props;
  const server = use(GridServerContext);
  const grid = useRef<RunningGrid<Row>>(null);
  const [frame, width] = useElementWidth();
  const [panel, setPanel] = useState<OpenPanel | null>(null);
  const memory = useStoredGridState(server, source.name);
  const columns = useGridColumns(defined, memory);
  const rowMenu = useRowMenu(grid);
  const { position, rowsWidth, mark, onReady } = useDetailPanel<Row>(detailPanel?.id, width);
  const list = useGridList(props, { grid, server, onAnswer: rowMenu.follow });
  const { pages, total, error, refresh, selection, selectAll, select, controls } = list;
  const views = useGridViews({ server, name: source.name, memory, columns, controls, sort: source.sort });

  const count = total === undefined ? '' : countOf(total);
  const narrow = width > 0 && width < narrowBelow;
  const selectable = bulkActions.length > 0;
  const openFilter = (column: string, anchor: HTMLElement) => setPanel({ column, anchor });
  const parts: GridParts = {
    narrow,
    filters: controls.filters,
    openFilter,
    selection: selectable ? selection : null,
    selectAll,
    select,
    total,
  };

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys and copying of the rows inside
    <section
      className="grid raised"
      aria-label={label}
      ref={frame}
      onMouseDown={(event) =>
        preserveClickTarget(event, (index) => grid.current?.api.getDisplayedRowAtIndex(index)?.id)
      }
      onKeyDown={(event) => clearsSelection(event) && selection.clear()}
      onCopy={(event) => copyRows(event, { selection, grid: grid.current, columns, countOf })}
    >
      <GridTabs label={label} {...list.tabs} current={controls.tab} onShow={controls.showTab} />
      <GridBar
        label={label}
        count={count}
        narrow={narrow}
        controls={controls}
        filterable={defined.some((column) => column.filter)}
        onPanel={setPanel}
        onRefresh={refresh}
        views={views && <ViewsMenu views={views} />}
        exports={
          <ExportMenu
            label={label}
            path={source.exportPath}
            columns={columns}
            controls={controls}
            selection={selection}
            total={total}
          />
        }
      />
      <FilterChips columns={defined} controls={controls} onOpen={openFilter} />
      {error && total !== undefined && <GridError {...error} onRetry={refresh} />}
      <div className="grid-main">
        <div className="grid-body">
          {width > 0 && (
            <GridRows
              ready={memory.ready}
              label={label}
              columns={columns}
              pages={pages}
              parts={parts}
              sort={controls.order}
              width={rowsWidth}
              mark={mark}
              onReady={(running) => {
                grid.current = running;
                onReady(running.api);
              }}
              onSort={controls.onSorted}
              onRowOpen={onRowOpen}
              onRowActions={rowActions && rowMenu.open}
            />
          )}
          <GridCover rows={list} controls={controls} tabs={list.tabs.tabs} emptyState={emptyState} />
        </div>
        {/* Suspends only the panel: rows do not wait for the panel's chunk. */}
        {width > 0 && (
          <DetailPanelContext value={position}>
            <Suspense>{detailPanel?.panel}</Suspense>
          </DetailPanelContext>
        )}
      </div>
      {/* The bar is below the rows, so that rows do not move when it appears. */}
      {selectable && (
        <SelectionBar
          selection={selection}
          actions={bulkActions}
          countOf={countOf}
          total={total}
          onSelectAll={() => selectAll(true)}
        />
      )}
      {rowMenu.menu && rowActions && (
        <RowMenu anchor={rowMenu.menu.anchor} items={rowActions(rowMenu.menu.row)} onClose={rowMenu.close} />
      )}
      {panel && (
        <GridPanels
          panel={panel}
          columns={columns}
          controls={controls}
          count={count}
          onClose={() => setPanel(null)}
        />
      )}
    </section>
  );
}

/** Returns whether the key is Esc in the rows or the selection bar. */
function clearsSelection({ key, target, currentTarget }: KeyboardEvent<HTMLElement>): boolean {
  return (
    key === 'Escape' &&
    target instanceof Element &&
    currentTarget.contains(target) &&
    target.closest('.grid-body, .grid-selected') !== null
  );
}

function GridRows<Row extends GridRow>({
  ready,
  ...props
}: Omit<GridViewProps<Row>, 'edition'> & {
  /** Whether the user's columns are loaded. */
  ready: boolean;
}) {
  if (!ready) return <GridSkeleton />;
  return (
    <Suspense fallback={<GridSkeleton />}>
      <LoadedRows {...props} />
    </Suspense>
  );
}

function LoadedRows<Row extends GridRow>(props: Omit<GridViewProps<Row>, 'edition'>) {
  const { GridView, edition } = use(loadedGrid());
  return <GridView {...props} edition={edition} />;
}
