import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { SignInMethod } from '@vestibule/contract/configuration';
import {
  migrationLinkDays,
  startMigrations,
  previewMigrationMail,
} from '@vestibule/contract/identity-migrations';
import type { Person } from '@vestibule/contract/people';
import type { RouteRequest } from '@vestibule/contract/route';
import { useState } from 'react';
import { changeAllRows } from '../../ui/dialog/bulk-calls.ts';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { BulkActionDialog } from '../../ui/dialog/bulk-action-dialog.tsx';
import { Loading } from '../../ui/loading.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import type { SelectedRows } from '../../ui/grid/selection/grid-selection.ts';
import { toast } from '../../ui/toast/toast.tsx';
import { countOf } from './migration-texts.ts';
import './migrations.css';

export type Candidate = Pick<Person, 'id' | 'displayName' | 'email'>;

type Selection = RouteRequest<typeof startMigrations>['body']['selection'];

export function SendDialog({
  methods,
  initialMethodId,
  selected,
  who,
  onDone,
  onClose,
}: {
  methods: readonly SignInMethod[];
  initialMethodId?: string;
  selected: SelectedRows<Candidate>;
  /** Description of the recipients. Set only if the links are sent to all people instead of selected ones. */
  who?: string;
  /** Called with the target method, also after a partial failure. */
  onDone: (methodId: string) => void;
  onClose: () => void;
}) {
  const [methodId, setMethodId] = useState(initialMethodId ?? methods[0]?.id ?? '');
  const name = methods.find(({ id }) => id === methodId)?.name ?? methodId;
  return (
    <BulkActionDialog
      title={t`Send the link`}
      danger={false}
      selected={selected}
      {...(who !== undefined && { selectionText: who })}
      personOf={({ id, displayName, email }) => ({ id, name: displayName, email })}
      countOf={countOf}
      onConfirm={async (progress) => {
        const send = (selection: Selection) => call(startMigrations, { body: { way: methodId, selection } });
        const skippedRows = await changeAllRows(send, selected.selection, progress, (done) =>
          toast.success(plural(done, { one: '# link is on its way.', other: '# links are on their way.' })),
        );
        // If all people are selected, skipped people are expected and not listed.
        return skippedRows && who !== undefined ? { skipped: [], skippedCount: 0 } : skippedRows;
      }}
      onDone={() => onDone(methodId)}
      onClose={onClose}
    >
      {methods.length > 1 && (
        <SelectField
          label={t`They sign in with`}
          options={methods.map((method) => ({ value: method.id, label: method.name }))}
          value={methodId}
          onChange={(event) => setMethodId(event.currentTarget.value)}
        />
      )}
      <p>
        <Trans>
          Everyone gets a personal link by e-mail that works for {migrationLinkDays} days. Nothing changes for
          them until they open it and sign in with {name}. After that, both ways work until you close the old
          one. People who already sign in with {name} are skipped.
        </Trans>
      </p>
      <MailPreview methodId={methodId} />
    </BulkActionDialog>
  );
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
      {/* Scripts, forms and links in the mail are blocked. */}
      <iframe
        title={t`The e-mail as most programs show it`}
        sandbox=""
        srcDoc={preview.data.html}
        className="moves-mail"
      />
    </>
  );
}
