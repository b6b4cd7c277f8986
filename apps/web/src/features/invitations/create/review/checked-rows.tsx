/** Rows with the same verdict, which can be corrected, removed and restored. */
import { t } from '@lingui/core/macro';
import { rowTextMaximum } from '@vestibule/contract/rules/limits';
import { useId, useState } from 'react';
import { flushSync } from 'react-dom';
import { formatNumber } from '../../../../language/formats.ts';
import { formatMessage } from '../../../../language/format-message.ts';
import { Button, QuietButton } from '../../../../ui/button.tsx';
import { SelectField } from '../../../../ui/fields/select-field.tsx';
import { TextArea } from '../../../../ui/fields/text-area.tsx';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { WithAddresses } from '../../../../ui/person/address.tsx';
import { roleOptions } from '../../invitation-texts.ts';
import type { DraftRow } from '../invite-draft.ts';
import type { Entry } from '../import/typed-addresses.ts';
import { fieldId, isUnsaved, textsOf, type CorrectionState, type Correction } from './use-corrections.ts';

/** Number of rows shown initially. */
const pageSize = 50;

export function CheckedRows({
  title,
  rows,
  corrections,
  ...rowProps
}: CorrectionState & {
  title: string;
  rows: readonly DraftRow[];
  onChange: (row: DraftRow) => void;
}) {
  const titleId = useId();
  const [shownCount, setShownCount] = useState(pageSize);
  return (
    <section aria-labelledby={titleId}>
      <h3 id={titleId} className="invite-group">
        {title} <span>{formatNumber(rows.length)}</span>
      </h3>
      <ul className="invite-rows">
        {rows
          .filter((row, index) => index < shownCount || corrections[row.id])
          .map((row) => (
            <Row key={row.id} row={row} correction={corrections[row.id]} {...rowProps} />
          ))}
      </ul>
      {rows.length > shownCount && (
        <QuietButton onClick={() => setShownCount(shownCount + 10 * pageSize)}>
          {t`Show more (${formatNumber(rows.length - shownCount)})`}
        </QuietButton>
      )}
    </section>
  );
}

function Row({
  row,
  correction,
  problem,
  onCorrect,
  onChange,
}: Omit<CorrectionState, 'corrections'> & {
  row: DraftRow;
  correction: Correction | undefined;
  onChange: (row: DraftRow) => void;
}) {
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
        {row.check && !row.out && <p className="small-print">{formatMessage(row.check)}</p>}
      </div>
      <div className="invite-row-actions">
        {!row.out && suggestion && (
          <Button size="small" name="use" onClick={() => onChange({ ...row, email: suggestion })}>
            {t`Use ${suggestion}`}
          </Button>
        )}
        {!row.out && (
          <QuietButton
            name="correct"
            aria-label={t`Correct ${who}`}
            aria-expanded={correction !== undefined}
            onClick={() => {
              flushSync(() => onCorrect(row, correction ? undefined : {}));
              document.getElementById(fieldId(row, 'email'))?.focus();
            }}
          >
            {t`Correct`}
          </QuietButton>
        )}
        <QuietButton
          name="remove"
          aria-label={row.out ? t`Restore ${who}` : t`Remove ${who}`}
          onClick={() => onChange({ ...row, out: !row.out, check: undefined })}
        >
          {row.out ? t`Restore` : t`Remove`}
        </QuietButton>
      </div>
      {correction && !row.out && (
        <RowEditor
          row={row}
          correction={correction}
          problem={isUnsaved(row, correction) ? problem : undefined}
          onType={(typed) => onCorrect(row, typed)}
          onCancel={() => onCorrect(row)}
          onSave={(entry) => {
            onCorrect(row);
            onChange({ ...row, ...entry, row: row.row });
          }}
        />
      )}
    </li>
  );
}

function RowEditor({
  row,
  correction,
  problem,
  onType,
  onSave,
  onCancel,
}: {
  row: DraftRow;
  correction: Correction;
  problem: string | undefined;
  onType: (correction: Correction) => void;
  onSave: (entry: Entry) => void;
  onCancel: () => void;
}) {
  const texts = textsOf(row, correction);
  const field = (name: keyof Correction) => ({
    id: fieldId(row, name),
    name,
    value: texts[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      onType({ ...correction, [name]: value }),
  });
  return (
    <form
      className="invite-row-editor"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const { email, name, role, message } = texts;
        onSave({
          email: email.trim(),
          name: name.trim(),
          role: role === '' ? undefined : role,
          message: message.trim() === '' ? undefined : message,
        });
      }}
    >
      <TextField
        label={t`Address`}
        type="email"
        autoComplete="off"
        maxLength={rowTextMaximum.email}
        error={problem}
        {...field('email')}
      />
      <TextField label={t`Name`} autoComplete="off" maxLength={rowTextMaximum.name} {...field('name')} />
      <SelectField
        label={t`Role`}
        options={[{ value: '', label: t`Same for everyone` }, ...roleOptions()]}
        {...field('role')}
      />
      {row.message && (
        <TextArea label={t`Message`} maxLength={rowTextMaximum.message} {...field('message')} />
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
