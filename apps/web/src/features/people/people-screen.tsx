/** `/layout/people`: all people (administrators only). */
import { t } from '@lingui/core/macro';
import { IconUsers } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { SignInMethod } from '@vestibule/contract/configuration';
import {
  countPeople,
  listPeople,
  type ListedPerson,
  type PeopleColumn,
  type PeopleGroup,
  type Person,
} from '@vestibule/contract/people';
import { lazy, useMemo, useState, type ReactNode } from 'react';
import { withColumns, withValues } from 'virtual:extensions';
import { bulkChangeOf, personActionsOf } from './person-actions.tsx';
import { personChanges } from './person-changes.ts';
import { countOf, roles, statuses, methodLabels } from './person-texts.ts';
import { RemovedDialog } from './removed-dialog.tsx';
import { fetchCountsFrom, fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { useListAddress } from '../../lib/lists/list-address.ts';
import { methodLabel } from '../../lib/sign-in/sign-in-text.ts';
import { personOrEmail } from '../../lib/person-or-email.ts';
import { Button } from '../../ui/button.tsx';
import { bulkAction } from '../../ui/dialog/bulk-action-dialog.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { columnsByName, valuesOf } from '../../ui/grid/grid-column.ts';
import type { SelectedRows } from '../../ui/grid/grid-selection.ts';
import type { GridHandle } from '../../ui/grid/grid-props.ts';
import type { GridAddress } from '../../ui/grid/grid-address.ts';
import { DataGrid } from '../../ui/grid/grid.tsx';
import { Page } from '../../ui/shell/page.tsx';

const route = getRouteApi('/_signed-in/layout/people');

// Loaded after the grid.
const PersonPanel = lazy(() => import('./person-panel.tsx'));

const source = {
  name: 'people',
  fetchPage: withValues('people', fetchPageFrom(listPeople)),
  exportPath: '/api/people/export',
  changesOf: 'people',
  countTabs: fetchCountsFrom(countPeople),
};

const personOf = ({ id, displayName, email }: Person) => ({ id, name: displayName, email });

const columns = (signInMethods: readonly SignInMethod[]) =>
  columnsByName<ListedPerson, PeopleColumn>({
    displayName: {
      title: t`Name`,
      kind: 'person',
      person: personOf,
      shows: 'email',
      filter: { kind: 'text' },
      flex: 3,
    },
    email: { title: t`E-mail`, kind: 'text', filter: { kind: 'text' }, flex: 2, minWidth: 240, hidden: true },
    role: {
      title: t`Role`,
      kind: 'badge',
      badge: ({ role }) => roles()[role],
      minWidth: 156,
      filter: { kind: 'set', values: valuesOf(roles()) },
      narrowIf: ({ role }) => role === 'admin',
    },
    status: {
      title: t`Status`,
      kind: 'badge',
      badge: ({ status }) => statuses()[status],
      filter: { kind: 'set', values: valuesOf(statuses()) },
      narrowIf: ({ status }) => status === 'disabled',
    },
    joinedAt: { title: t`Joined`, kind: 'date-time', filter: { kind: 'date' } },
    lastSignInAt: {
      title: t`Last sign-in`,
      kind: 'date-time',
      none: t`Never`,
      filter: { kind: 'date', optional: true },
      minWidth: 184,
      narrow: 'detail',
      narrowTitle: t`Signed in`,
    },
    lastSeenAt: {
      title: t`Last seen`,
      kind: 'date-time',
      none: t`Never`,
      filter: { kind: 'date', optional: true },
      hidden: true,
    },
    invitedBy: {
      title: t`Invited by`,
      kind: 'person',
      person: ({ invitedBy, inviter }) => personOrEmail(invitedBy, inviter),
      filter: { kind: 'text', optional: true },
      flex: 1.5,
      minWidth: 220,
    },
    ways: {
      title: t`Signs in with`,
      kind: 'text',
      text: (person) => methodLabels(person.ways, signInMethods),
      filter: {
        kind: 'set',
        values: signInMethods.map(({ id, name }) => ({ value: id, label: methodLabel(name) })),
      },
      minWidth: 160,
      hidden: true,
    },
  });

const tabs = (): Record<PeopleGroup, string> => ({
  active: t`Active`,
  administrators: t`Administrators`,
  new: t`New`,
  quiet: t`Inactive`,
  disabled: t`Disabled`,
});

/** `more` renders details from other areas. */
export function PeopleScreen({ more }: { more: (person: Person) => ReactNode }) {
  const [grid, setGrid] = useState<GridHandle | null>(null);
  const navigate = route.useNavigate();
  const address = useListAddress<GridAddress & { show?: string | undefined }>();
  const { show: shown } = address.current;
  const { user, session } = route.useRouteContext();
  const { Ways } = session.configuration;
  const shownColumns = useMemo(() => withColumns('people', columns(Ways)), [Ways]);
  const mayMigrate = Ways.some(({ kind }) => kind === 'oidc');

  /** Opening the panel adds a history entry; switching rows and closing replace it. */
  const show = (id?: string) => address.change({ show: id }, shown !== undefined);
  const closePanel = () => show();
  const open = (person: Person) =>
    void navigate({ to: '/layout/people/$personId', params: { personId: person.id } });
  /** The migrations screen shows the dialog, so that progress is visible there. */
  const migrate = ({ selection, count, rows }: SelectedRows<Person>) =>
    navigate({
      to: '/layout/people/move',
      state: {
        people: {
          selection,
          count,
          rows: rows.slice(0, 8).map(({ id, displayName, email }) => ({ id, displayName, email })),
        },
      },
    });
  const refresh = () => grid?.refresh();
  const { dialog, open: openDialog, close, ask } = useDialog();
  const actionsOf = (person: Person) =>
    personActionsOf(person, { ownId: user.Id, ask, open: openDialog, close, onDone: refresh });

  return (
    <Page
      title={t`People`}
      fill
      actions={
        <>
          <Button
            onClick={() =>
              openDialog(() => (
                <RemovedDialog
                  onClose={() => {
                    close();
                    refresh();
                  }}
                />
              ))
            }
          >
            {t`Removed people`}
          </Button>
          <Link
            to="/layout/invitations"
            search={{ invite: true }}
            className="button button-primary button-medium"
          >
            {t`Invite`}
          </Link>
        </>
      }
    >
      <DataGrid
        ref={setGrid}
        label={t`People`}
        countOf={countOf}
        columns={shownColumns}
        source={source}
        tabs={tabs()}
        address={address}
        onRowOpen={({ id }) => show(id)}
        detailPanel={
          shown !== undefined && {
            id: shown,
            onClose: closePanel,
            panel: (
              <PersonPanel
                id={shown}
                signInMethods={Ways}
                actions={actionsOf}
                more={more}
                onShow={show}
                onClose={closePanel}
              />
            ),
          }
        }
        rowActions={(person) => [{ label: t`Open`, onSelect: () => open(person) }, ...actionsOf(person)]}
        bulkActions={[
          ...personChanges().map((change) =>
            bulkAction(bulkChangeOf(change, user.Id, refresh), {
              open: openDialog,
              onDone: refresh,
              names: { personOf, countOf },
            }),
          ),
          ...(mayMigrate ? [{ label: t`Move to another method`, onSelect: migrate }] : []),
        ]}
        emptyState={
          <EmptyState icon={<IconUsers size={32} stroke={1.5} />} title={t`No members yet`}>
            {t`Invite people; they appear here once they have signed up.`}
          </EmptyState>
        }
      />
      {dialog}
    </Page>
  );
}
