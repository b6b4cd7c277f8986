/** The rows of one verdict: each with its reason, taken out, put back and corrected here. */
import { t } from '@lingui/core/macro';
import { rowTextMaximum } from '@vestibule/contract/rules/limits';
import { useId, useState } from 'react';
import { formatNumber } from '../../../../language/formats.ts';
import { tell } from '../../../../language/tell.ts';
import { Button, QuietButton } from '../../../../ui/button.tsx';
import { SelectField } from '../../../../ui/fields/select-field.tsx';
import { TextArea } from '../../../../ui/fields/text-area.tsx';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { useForm } from '../../../../ui/fields/use-form.ts';
import { WithAddresses } from '../../../../ui/person/address.tsx';
import { roleOptions } from '../../invitation-words.ts';
import type { DraftRow } from '../invite-draft.ts';
import type { Entry } from '../reading/typed-addresses.ts';

/** Rows per group that are shown before somebody asks for more. */
const portion = 50;

export function CheckedRows({
  title,
  rows,
  onChange,
}: {
  title: string;
  rows: readonly DraftRow[];
  onChange: (row: DraftRow) => void;
}) {
  const titleId = useId();
  const [most, setMost] = useState(portion);
  return (
    <section aria-labelledby={titleId}>
      <h3 id={titleId} className="invite-group">
        {title} <span>{formatNumber(rows.length)}</span>
      </h3>
      <ul className="invite-rows">
        {rows.slice(0, most).map((row) => (
          <Row key={row.id} row={row} onChange={onChange} />
        ))}
      </ul>
      {rows.length > most && (
        <QuietButton onClick={() => setMost(most + 10 * portion)}>
          {t`Show more (${formatNumber(rows.length - most)})`}
        </QuietButton>
      )}
    </section>
  );
}

function Row({ row, onChange }: { row: DraftRow; onChange: (row: DraftRow) => void }) {
  const [editing, setEditing] = useState(false);
  const who = row.email || row.name || t`row ${row.row}`;
  const suggestion = row.check?.suggestion;
  return (
    <li>
      <div className="invite-row-who">
        {row.check && !row.out && <b>{row.row}</b>}
        <span>
          <WithAddresses text={row.email || t`No address`} />
        </span>
        {row.name && <small>{row.name}</small>}
        {row.check && !row.out && <p className="small-print">{tell(row.check)}</p>}
      </div>
      <div className="invite-row-actions">
        {!row.out && suggestion && (
          <Button size="small" onClick={() => onChange({ ...row, email: suggestion })}>
            {t`Use ${suggestion}`}
          </Button>
        )}
        {!row.out && (
          <QuietButton
            aria-label={t`Correct ${who}`}
            aria-expanded={editing}
            onClick={() => setEditing(!editing)}
          >
            {t`Correct`}
          </QuietButton>
        )}
        <QuietButton
          aria-label={row.out ? t`Restore ${who}` : t`Remove ${who}`}
          onClick={() => onChange({ ...row, out: !row.out, check: undefined })}
        >
          {row.out ? t`Restore` : t`Remove`}
        </QuietButton>
      </div>
      {editing && !row.out && (
        <RowEditor
          row={row}
          onCancel={() => setEditing(false)}
          onSave={(entry) => {
            setEditing(false);
            onChange({ ...row, ...entry, row: row.row });
          }}
        />
      )}
    </li>
  );
}

function RowEditor({
  row,
  onSave,
  onCancel,
}: {
  row: Entry;
  onSave: (entry: Entry) => void;
  onCancel: () => void;
}) {
  const form = useForm({
    initial: {
      email: row.email,
      name: row.name,
      role: roleOptions().find(({ value }) => value === row.role)?.value ?? '',
      message: row.message ?? '',
    },
    onSubmit: async ({ email, name, role, message }) =>
      onSave({
        email: email.trim(),
        name: name.trim(),
        role: role === '' ? undefined : role,
        message: message.trim() === '' ? undefined : message,
      }),
  });
  return (
    <form className="invite-row-editor" noValidate onSubmit={form.submit}>
      <TextField
        label={t`Address`}
        type="email"
        autoComplete="off"
        ref={focus}
        maxLength={rowTextMaximum.email}
        {...form.text('email')}
      />
      <TextField label={t`Name`} autoComplete="off" maxLength={rowTextMaximum.name} {...form.text('name')} />
      <SelectField
        label={t`Role`}
        options={[{ value: '', label: t`Same for everyone` }, ...roleOptions()]}
        {...form.text('role')}
      />
      {row.message && (
        <TextArea label={t`Message`} maxLength={rowTextMaximum.message} {...form.text('message')} />
      )}
      <div className="invite-row-actions">
        <Button size="small" onClick={onCancel}>
          {t`Cancel`}
        </Button>
        <Button size="small" variant="primary" type="submit">
          {t`Save`}
        </Button>
      </div>
    </form>
  );
}

/** Whoever opens the editor wants to type in it. */
function focus(field: HTMLInputElement | null): void {
  field?.focus();
}
