/** Dialogs of the migrations screen: sending links, acting on migrations, removing previous identities. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { removePreviousIdentities, type IdentityMigration } from '@vestibule/contract/identity-migrations';
import { listPeople } from '@vestibule/contract/people';
import type { RouteRequest } from '@vestibule/contract/route';
import { useState } from 'react';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { changeAllRows } from '../../ui/dialog/bulk-calls.ts';
import { BulkActionDialog } from '../../ui/dialog/bulk-action-dialog.tsx';
import { Loading } from '../../ui/loading.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import type { GridCondition } from '../../ui/grid/rows/grid-query.ts';
import type { GridSelection, SelectedRows } from '../../ui/grid/selection/grid-selection.ts';
import type { MigrationAction } from './migration-actions.ts';
import { toast } from '../../ui/toast/toast.tsx';
import { countOf } from './migration-texts.ts';
import { SendDialog, type Candidate } from './send-dialog.tsx';

type PreviousMethod = { way: string; name: string; people: number };

export type RequestedDialog =
  | {
      kind: 'send';
      /** Selected people, or the number of people without the method. */
      people: number | Omit<SelectedRows<Candidate>, 'clear'>;
    }
  | { kind: 'change'; change: MigrationAction; selected: SelectedRows<IdentityMigration> }
  | { kind: 'close'; oldWays: readonly PreviousMethod[]; moved: number };

type Props<Kind extends RequestedDialog['kind']> = {
  /** Target method, and all possible ones. */
  way: SignInMethod;
  ways: readonly SignInMethod[];
  asked: Extract<RequestedDialog, { kind: Kind }>;
  /** Called after changes, with the target method's id. */
  onDone: (way: string) => void;
  onClose: () => void;
};

export function MigrationDialog({ asked, ...props }: Props<RequestedDialog['kind']>) {
  switch (asked.kind) {
    case 'send':
      return typeof asked.people === 'number' ? (
        <SendToAll lacking={asked.people} {...props} />
      ) : (
        <SendDialog
          ways={props.ways}
          firstWay={props.way.id}
          selected={{ ...asked.people, clear() {} }}
          onDone={props.onDone}
          onClose={props.onClose}
        />
      );
    case 'change':
      return <ChangeDialog asked={asked} {...props} />;
    case 'close':
      return <CloseDialog asked={asked} {...props} />;
  }
}

const active: GridCondition = { column: 'status', is: 'oneOf', values: ['active'] };

/** Selects all active people; the server skips those who have the method or a working link. */
function SendToAll({ way, lacking, onDone, onClose }: Omit<Props<'send'>, 'asked'> & { lacking: number }) {
  const people = useApiQuery(listPeople, {
    key: ['people', 'active'],
    query: { filters: JSON.stringify([active]), limit: 1 },
    staleTime: 0,
    gcTime: 0,
  });
  if (!people.data)
    return (
      <Dialog
        title={t`Send the link`}
        onClose={onClose}
        actions={<Button onClick={onClose}>{t`Cancel`}</Button>}
      >
        <Loading query={people} title={t`The people could not be counted`} lines={4} />
      </Dialog>
    );
  return (
    <SendDialog
      ways={[way]}
      selected={{
        selection: { all: { filters: [active], total: people.data.total ?? 0 } },
        count: lacking,
        rows: [],
        clear() {},
      }}
      who={t`Everyone who does not sign in with ${way.name} yet and has no working link.`}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

function ChangeDialog({ way, asked, onDone, onClose }: Props<'change'>) {
  const { change, selected } = asked;
  return (
    <BulkActionDialog
      title={change.label}
      danger={change.danger}
      selected={selected}
      personOf={({ personId, displayName, email }) => ({ id: personId, name: displayName, email })}
      countOf={countOf}
      onConfirm={(progress) =>
        changeAllRows(change.act, withinMethod(selected.selection, way), progress, (count) =>
          toast.success(change.done(count)),
        )
      }
      onDone={() => onDone(way.id)}
      onClose={onClose}
    >
      <p>{change.consequence}</p>
    </BulkActionDialog>
  );
}

function CloseDialog({ way, asked, onDone, onClose }: Props<'close'>) {
  const { oldWays, moved } = asked;
  const [chosen, setChosen] = useState(oldWays[0]?.way ?? '');
  const old = oldWays.find((one) => one.way === chosen) ?? { name: chosen, people: 0 };
  const filters: GridCondition[] = [{ column: 'state', is: 'oneOf', values: ['moved'] }];
  const selection: GridSelection = { all: { filters, total: moved } };
  return (
    <BulkActionDialog
      title={t`Close ${old.name}`}
      danger
      selected={{ selection, count: old.people, rows: [], clear() {} }}
      who={t`Everyone who has moved to ${way.name} and can still sign in with ${old.name}.`}
      countOf={countOf}
      onConfirm={(progress) =>
        changeAllRows(
          (part: RouteRequest<typeof removePreviousIdentities>['body']['selection']) =>
            call(removePreviousIdentities, { body: { way: chosen, selection: part } }),
          withinMethod(selection, way),
          progress,
          (count) => toast.success(t`${old.name} is closed for ${countOf(count)}.`),
        )
      }
      onDone={() => onDone(way.id)}
      onClose={onClose}
    >
      {oldWays.length > 1 && (
        <SelectField
          label={t`The way to close`}
          options={oldWays.map((one) => ({ value: one.way, label: one.name }))}
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
      <p>
        <Trans>
          They can no longer sign in with {old.name}, and browsers signed in with it are signed out. Their
          accounts there do not change. You cannot undo this. People who have not moved keep signing in as
          before.
        </Trans>
      </p>
    </BulkActionDialog>
  );
}

/** Limits "all matching rows" to migrations to this method. */
function withinMethod(selection: GridSelection, { id }: SignInMethod): GridSelection {
  if ('ids' in selection) return selection;
  const { filters = [], ...all } = selection.all;
  return { all: { ...all, filters: [...filters, { column: 'way', is: 'oneOf', values: [id] }] } };
}
