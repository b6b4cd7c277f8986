/** Dialogs of the migrations screen: sending links, acting on migrations, removing previous identities. */
import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { SignInMethod } from '@vestibule/contract/configuration';
import {
  cancelMigrations,
  migrationLinkDays,
  migrationReminderHours,
  previewMigrationMail,
  remindMigrations,
  removePreviousIdentities,
  startMigrations,
  type countMigrations,
  type IdentityMigration,
} from '@vestibule/contract/identity-migrations';
import type { Person } from '@vestibule/contract/people';
import type { RouteRequest, RouteResult } from '@vestibule/contract/route';
import { selectionMaximum } from '@vestibule/contract/rules/limits';
import { useState } from 'react';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import type { BulkChange } from '../../ui/dialog/bulk-action.ts';
import { BulkActionDialog } from '../../ui/dialog/bulk-action-dialog.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import type { GridCondition } from '../../ui/grid/grid-query.ts';
import type { SelectedRows } from '../../ui/grid/grid-selection.ts';
import { Loading } from '../../ui/states.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { countOf } from './migration-columns.ts';

export type Candidate = Pick<Person, 'id' | 'displayName' | 'email'>;

type DialogProps = {
  /** Called with the target method after changes, also after a partial failure. */
  onDone: (methodId: string) => void;
  onClose: () => void;
};

/** Sends links to the selected people or, if `people` is a number, to all people without the method. */
export function SendDialog({
  methods,
  method,
  people,
  onDone,
  onClose,
}: DialogProps & {
  methods: readonly SignInMethod[];
  /** Initial target method. */
  method: SignInMethod;
  people: number | Omit<SelectedRows<Candidate>, 'clear'>;
}) {
  const [methodId, setMethodId] = useState(method.id);
  const name = methods.find(({ id }) => id === methodId)?.name ?? methodId;
  const isForAll = typeof people === 'number';
  const selected = isForAll ? selectAll<Candidate>(people, { status: 'active' }) : { ...people, clear() {} };
  return (
    <BulkActionDialog
      change={{
        label: t`Send the link`,
        danger: false,
        consequence: (
          <>
            {!isForAll && methods.length > 1 && (
              <SelectField
                label={t`They sign in with`}
                options={methods.map((option) => ({ value: option.id, label: option.name }))}
                value={methodId}
                onChange={(event) => setMethodId(event.currentTarget.value)}
              />
            )}
            <p>
              <Trans>
                Everyone gets a personal link by e-mail that works for {migrationLinkDays} days. Nothing
                changes for them until they open it and sign in with {name}. After that, both methods work
                until you close the old one. People who already sign in with {name} are skipped.
              </Trans>
            </p>
            {!isForAll && selected.count === 1 && (
              <p>
                <Trans>
                  A single person gets the link in any case, for a new account if {name} has replaced theirs.
                </Trans>
              </p>
            )}
            <MailPreview methodId={methodId} />
          </>
        ),
        act: async (selection: RouteRequest<typeof startMigrations>['body']['selection']) => {
          const response = await call(startMigrations, { body: { way: methodId, selection } });
          // The selection of all people includes people who have the method or a link.
          return isForAll ? { ...response, skipped: [], skippedCount: 0 } : response;
        },
        onChanged: (done) =>
          toast.success(plural(done, { one: '# link is on its way.', other: '# links are on their way.' })),
      }}
      selected={selected}
      {...(isForAll && {
        selectionText: t`Everyone who does not sign in with ${name} yet and has no working link.`,
      })}
      names={{ personOf: ({ id, displayName, email }) => ({ id, name: displayName, email }), countOf }}
      onDone={() => onDone(methodId)}
      onClose={onClose}
    />
  );
}

/** Selects all rows with the values. The action also applies to rows that the screen does not count yet. */
function selectAll<Row>(count: number, values: Record<string, string>): SelectedRows<Row> {
  const filters = Object.entries(values).map(([column, value]): GridCondition => ({
    column,
    is: 'oneOf',
    values: [value],
  }));
  return { selection: { all: { filters, total: selectionMaximum } }, count, rows: [], clear() {} };
}

function MailPreview({ methodId }: { methodId: string }) {
  const language = i18n.locale === 'de' ? 'de' : 'en';
  const preview = useApiQuery(previewMigrationMail, {
    key: ['moves', 'mail', methodId, language],
    query: { way: methodId, language, scheme: 'light' },
  });
  if (!preview.data) return <Loading query={preview} title={t`The e-mail could not be shown.`} lines={6} />;
  return (
    <>
      <p className="moves-subject">
        {t`The e-mail, in each person's own language:`} <strong>{preview.data.subject}</strong>
      </p>
      {/* The sandbox blocks scripts, forms and links. */}
      <iframe
        title={t`The e-mail as most programs show it`}
        sandbox=""
        srcDoc={preview.data.html}
        className="moves-mail"
      />
    </>
  );
}

type Selection = RouteRequest<typeof cancelMigrations>['body']['selection'];

export const migrationActions = (): readonly (BulkChange<IdentityMigration, Selection> & {
  isOffered: (migration: IdentityMigration) => boolean;
})[] => [
  {
    label: t`Remind`,
    danger: false,
    isOffered: ({ state }) => state === 'waiting' || state === 'opened' || state === 'expired',
    consequence: t`They get the e-mail with their link again, at most once every ${migrationReminderHours} hours. The link works for another ${migrationLinkDays} days.`,
    act: (selection) => call(remindMigrations, { body: { selection } }),
    onChanged: (count) =>
      toast.success(
        plural(count, { one: '# reminder is on its way.', other: '# reminders are on their way.' }),
      ),
  },
  {
    label: t`Cancel move`,
    danger: true,
    isOffered: ({ state }) => state !== 'undone',
    consequence: t`Unused links stop working. People who have moved sign in as before: the new method is removed, and browsers signed in with it are signed out. The only working sign-in method is never removed.`,
    act: (selection) => call(cancelMigrations, { body: { selection } }),
    onChanged: (count) => toast.success(t`Cancelled for ${countOf(count)}.`),
  },
];

/** Removes the identities of a previous method from all people who have migrated. */
export function CloseDialog({
  method,
  previousMethods,
  onDone,
  onClose,
}: DialogProps & {
  method: SignInMethod;
  previousMethods: RouteResult<typeof countMigrations>['oldWays'];
}) {
  const [chosenId, setChosenId] = useState(previousMethods[0]?.way ?? '');
  const previous = previousMethods.find(({ way }) => way === chosenId) ?? { name: chosenId, people: 0 };
  const selected = selectAll<IdentityMigration>(previous.people, { state: 'moved', way: method.id });
  return (
    <BulkActionDialog
      change={{
        label: t`Close ${previous.name}`,
        danger: true,
        consequence: (
          <>
            {previousMethods.length > 1 && (
              <SelectField
                label={t`Method to close`}
                options={previousMethods.map(({ way, name }) => ({ value: way, label: name }))}
                value={chosenId}
                onChange={(event) => setChosenId(event.currentTarget.value)}
              />
            )}
            <p>
              <Trans>
                They can no longer sign in with {previous.name}, and browsers signed in with it are signed
                out. Their accounts there do not change. You cannot undo this. People who have not moved keep
                signing in as before.
              </Trans>
            </p>
          </>
        ),
        act: (selection: Selection) => call(removePreviousIdentities, { body: { way: chosenId, selection } }),
        onChanged: (count) => toast.success(t`${previous.name} is closed for ${countOf(count)}.`),
      }}
      selected={selected}
      selectionText={t`Everyone who has moved to ${method.name} and can still sign in with ${previous.name}.`}
      names={{ countOf }}
      onDone={() => onDone(method.id)}
      onClose={onClose}
    />
  );
}
