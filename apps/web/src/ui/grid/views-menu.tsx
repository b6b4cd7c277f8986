import { t } from '@lingui/core/macro';
import { IconBookmark, IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { describeFailure } from '../../language/call-failure.ts';
import { Button } from '../button.tsx';
import { useDialog } from '../dialog/use-dialog.tsx';
import { CheckBox } from '../fields/check-box.tsx';
import { FormDialog } from '../fields/form.tsx';
import { TextField } from '../fields/field.tsx';
import { useForm } from '../fields/use-form.ts';
import { Menu, type MenuItem } from '../menu/menu.tsx';
import { runWithErrorToast, toast } from '../toast/toast.tsx';
import type { GridViewRecord, GridViewState, GridServer, GridViewChange } from './grid-server.ts';
import { isSameLayout, layoutOf, type StoredGridState, type GridColumns } from './grid-layout.ts';
import { knownFilters, knownOrder } from './filters/read-filters.ts';
import type { GridSort } from './grid-query.ts';
import type { FilterControls } from './grid-state.ts';

/** Limit of the contract. */
const nameMaximum = 60;

/** Menu of the user's own and shared views, with dialogs to save, rename and delete them. */
export function ViewsMenu({ views }: { views: GridViews }) {
  const { dialog, open, ask } = useDialog();
  const { current, mayShare } = views;
  const openViewDialog = (view?: GridViewRecord) =>
    open((close) => <ViewDialog views={views} view={view} onClose={close} />);
  // A shared view can be changed by all users who may share views.
  const changeable = current && (current.shared ? mayShare : current.own) ? [current] : [];
  const items: MenuItem[] = [
    ...views.all.map((view) => ({
      label: viewLabel(view),
      icon: view.id === current?.id ? <IconCheck size={16} /> : <span className="grid-no-icon" />,
      onSelect: () => views.choose(view),
    })),
    { label: t`Save as view…`, onSelect: () => openViewDialog() },
    ...changeable.flatMap((view) => [
      {
        label: t`Update “${view.name}”`,
        onSelect: () =>
          void runWithErrorToast(async () => {
            await views.update(view);
            toast.success(t`View “${view.name}” updated.`);
          }),
      },
      {
        label: mayShare ? t`Rename or share “${view.name}”…` : t`Rename “${view.name}”…`,
        onSelect: () => openViewDialog(view),
      },
    ]),
    { label: t`Reset to default`, onSelect: views.reset },
    ...changeable.map((view) => ({
      label: t`Delete “${view.name}”…`,
      danger: true,
      onSelect: () =>
        ask({
          title: t`Delete view “${view.name}”`,
          confirm: t`Delete view`,
          danger: true,
          text: view.shared
            ? t`It is deleted for everyone. The rows themselves are not affected.`
            : t`The rows themselves are not affected.`,
          act: () => views.remove(view),
        }),
    })),
  ];
  return (
    <>
      <Menu items={items}>
        <Button
          variant="quiet"
          className="grid-tool"
          aria-label={current ? t`Views: ${current.name}` : t`Views`}
        >
          <IconBookmark size={18} stroke={1.75} aria-hidden="true" />
          <span className="grid-tool-text one-line">{current?.name ?? t`Views`}</span>
        </Button>
      </Menu>
      {dialog}
    </>
  );
}

function viewLabel({ name, shared, own, owner }: GridViewRecord): string {
  if (!shared) return name;
  return owner && !own ? t`${name} (by ${owner})` : t`${name} (shared)`;
}

/** Dialog that names a new view or renames an existing one. */
function ViewDialog({
  views: { all, mayShare, create, rename },
  view,
  onClose,
}: {
  views: GridViews;
  view: GridViewRecord | undefined;
  onClose: () => void;
}) {
  const form = useForm({
    initial: { name: view?.name ?? '', shared: view?.shared ?? false },
    validate: ({ name }): Record<string, string> => {
      if (!name.trim()) return { name: t`Give the view a name.` };
      const isTaken = all.some((other) => other.own && other.id !== view?.id && other.name === name.trim());
      return isTaken ? { name: t`You already have a view with this name. Choose another one.` } : {};
    },
    onSubmit: async ({ name: typed, shared }) => {
      const name = typed.trim();
      try {
        if (view) await rename(view, { name, shared });
        else {
          await create({ name, shared });
          toast.success(t`View “${name}” saved.`);
        }
        onClose();
      } catch (error) {
        return { form: describeFailure(error).message };
      }
      return undefined;
    },
  });
  return (
    <FormDialog
      form={form}
      title={view ? (mayShare ? t`Rename or share` : t`Rename`) : t`Save as view`}
      submit={view ? t`Save` : t`Save view`}
      width={480}
      onClose={onClose}
    >
      <TextField
        label={t`Name`}
        description={t`A view keeps columns, filters, search and sort order.`}
        autoComplete="off"
        maxLength={nameMaximum}
        {...form.text('name')}
      />
      {mayShare && (
        <CheckBox
          className="grid-value"
          checked={form.values.shared}
          disabled={view && !view.own}
          onChange={(shared) => form.set('shared', shared)}
        >
          {t`All administrators can use and edit it`}
        </CheckBox>
      )}
    </FormDialog>
  );
}

type GridViews = NonNullable<ReturnType<typeof useGridViews>>;

/** Named views of a grid; null if the grid has no server. Server errors are thrown. */
export function useGridViews<Row>({
  server,
  name,
  memory: { views: all, mayShare, setLayout, setViews },
  columns: { defined, placed, compact },
  controls,
  sort,
}: {
  server: GridServer | null;
  name: string | undefined;
  memory: StoredGridState;
  columns: GridColumns<Row>;
  controls: FilterControls;
  /** Initial order. */
  sort: GridSort | undefined;
}) {
  const [currentId, setCurrentId] = useState<string | null>(null);
  if (!server || !name) return null;

  const currentState = (): GridViewState => ({
    layout: layoutOf(placed, compact),
    ...(controls.order && { sort: controls.order }),
    ...(controls.tab !== undefined && { tab: controls.tab }),
    ...(controls.applied.search !== undefined && { search: controls.applied.search }),
    filters: [...controls.filters],
  });
  const applyState = (target: Partial<GridViewState>) => {
    const { layout, tab, search = '', filters = [], sort: order } = target;
    if (!layout || !isSameLayout(layout, layoutOf(placed, compact))) setLayout(layout ?? null);
    controls.replace({
      tab,
      search,
      order: knownOrder(defined, order),
      filters: knownFilters(defined, filters),
    });
  };
  const storeView = (view: GridViewRecord) =>
    setViews((views) => [...views.filter(({ id }) => id !== view.id), view].toSorted(compareNames));
  const change = async (view: GridViewRecord, part: GridViewChange) =>
    storeView(await server.changeView(name, view.id, part));

  return {
    all,
    mayShare,
    /** The view that was chosen last, even if the grid was changed since. */
    current: all.find(({ id }) => id === currentId),
    choose: (view: GridViewRecord) => {
      setCurrentId(view.id);
      applyState(view.state);
    },
    /** Restores the screen's defaults. */
    reset: () => {
      setCurrentId(null);
      applyState(sort ? { sort } : {});
    },
    create: async (details: { name: string; shared: boolean }) => {
      const view = await server.createView(name, { ...details, state: currentState() });
      storeView(view);
      setCurrentId(view.id);
    },
    rename: change,
    update: (view: GridViewRecord) => change(view, { state: currentState() }),
    remove: async (view: GridViewRecord) => {
      await server.deleteView(name, view.id);
      setViews((views) => views.filter(({ id }) => id !== view.id));
      setCurrentId((id) => (id === view.id ? null : id));
    },
  };
}

const compareNames = (a: GridViewRecord, b: GridViewRecord): number =>
  a.name.localeCompare(b.name, 'und', { numeric: true });
