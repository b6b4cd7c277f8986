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

export type OpenMigrationDialog =
  | {
      kind: 'send';
      /** Selected people, or the number of people without the method. */
      people: number | Omit<SelectedRows<Candidate>, 'clear'>;
    }
  | { kind: 'change'; action: MigrationAction; selected: SelectedRows<IdentityMigration> }
  | { kind: 'close'; previousMethods: readonly PreviousMethod[]; moved: number };

type Props<Kind extends OpenMigrationDialog['kind']> = {
  /** Target method, and all possible ones. */
  method: SignInMethod;
  methods: readonly SignInMethod[];
  dialog: Extract<OpenMigrationDialog, { kind: Kind }>;
  /** Called after changes, with the target method's id. */
  onDone: (methodId: string) => void;
  onClose: () => void;
};

export function MigrationDialog({ dialog, ...props }: Props<OpenMigrationDialog['kind']>) {
  switch (dialog.kind) {
    case 'send':
      return typeof dialog.people === 'number' ? (
        <SendToAll count={dialog.people} {...props} />
      ) : (
        <SendDialog
          methods={props.methods}
          initialMethodId={props.method.id}
          selected={{ ...dialog.people, clear() {} }}
          onDone={props.onDone}
          onClose={props.onClose}
        />
      );
    case 'change':
      return <ActionDialog dialog={dialog} {...props} />;
    case 'close':
      return <CloseDialog dialog={dialog} {...props} />;
  }
}

const active: GridCondition = { column: 'status', is: 'oneOf', values: ['active'] };

/** Sends links to all active people; the server skips people who already have the method or a working link. */
function SendToAll({ method, count, onDone, onClose }: Omit<Props<'send'>, 'dialog'> & { count: number }) {
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
      methods={[method]}
      selected={{
        selection: { all: { filters: [active], total: people.data.total ?? 0 } },
        count,
        rows: [],
        clear() {},
      }}
      who={t`Everyone who does not sign in with ${method.name} yet and has no working link.`}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

function ActionDialog({ method, dialog, onDone, onClose }: Props<'change'>) {
  const { action, selected } = dialog;
  return (
    <BulkActionDialog
      title={action.label}
      danger={action.danger}
      selected={selected}
      personOf={({ personId, displayName, email }) => ({ id: personId, name: displayName, email })}
      countOf={countOf}
      onConfirm={(progress) =>
        changeAllRows(action.apply, withinMethod(selected.selection, method), progress, (count) =>
          toast.success(action.doneText(count)),
        )
      }
      onDone={() => onDone(method.id)}
      onClose={onClose}
    >
      <p>{action.consequence}</p>
    </BulkActionDialog>
  );
}

function CloseDialog({ method, dialog, onDone, onClose }: Props<'close'>) {
  const { previousMethods, moved: completedCount } = dialog;
  const [chosenId, setChosen] = useState(previousMethods[0]?.way ?? '');
  const previousMethod = previousMethods.find(({ way }) => way === chosenId) ?? {
    name: chosenId,
    people: 0,
  };
  const filters: GridCondition[] = [{ column: 'state', is: 'oneOf', values: ['moved'] }];
  const selection: GridSelection = { all: { filters, total: completedCount } };
  return (
    <BulkActionDialog
      title={t`Close ${previousMethod.name}`}
      danger
      selected={{ selection, count: previousMethod.people, rows: [], clear() {} }}
      selectionText={t`Everyone who has moved to ${method.name} and can still sign in with ${previousMethod.name}.`}
      countOf={countOf}
      onConfirm={(progress) =>
        changeAllRows(
          (part: RouteRequest<typeof removePreviousIdentities>['body']['selection']) =>
            call(removePreviousIdentities, { body: { way: chosenId, selection: part } }),
          withinMethod(selection, method),
          progress,
          (count) => toast.success(t`${previousMethod.name} is closed for ${countOf(count)}.`),
        )
      }
      onDone={() => onDone(method.id)}
      onClose={onClose}
    >
      {previousMethods.length > 1 && (
        <SelectField
          label={t`The way to close`}
          options={previousMethods.map(({ way, name }) => ({ value: way, label: name }))}
          value={chosenId}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
      <p>
        <Trans>
          They can no longer sign in with {previousMethod.name}, and browsers signed in with it are signed
          out. Their accounts there do not change. You cannot undo this. People who have not moved keep
          signing in as before.
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
