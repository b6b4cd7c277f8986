/** Rows with the same verdict, which can be corrected, removed and restored. */
import { t } from '@lingui/core/macro';
import { rowTextMaximum } from '@vestibule/contract/rules/limits';
import { useId, useState } from 'react';
import { flushSync } from 'react-dom';
import { formatNumber } from '../../../../language/formats.ts';
import { formatMessage } from '../../../../language/format-message.ts';
import { Button, QuietButton } from '../../../../ui/button.tsx';
import { TextField } from '../../../../ui/fields/field.tsx';
import { WithAddresses } from '../../../../ui/person/person.tsx';
import type { DraftRow } from '../invite-draft.ts';

/** The address that the user is correcting in a row. */
export type Correction = {
  /** Id of the row. */
  id: number;
  email: string;
  /** The user has tried to send before saving it. */
  isBlocking?: true;
};

type Correcting = {
  correction: Correction | null;
  onCorrect: (correction: Correction | null) => void;
  onChange: (row: DraftRow) => void;
};

export const correctionId = 'corrected-address';

/** Number of rows shown initially. */
const pageSize = 50;

export function CheckedRows({
  title,
  rows,
  ...correcting
}: Correcting & { title: string; rows: readonly DraftRow[] }) {
  const titleId = useId();
  const [shownCount, setShownCount] = useState(pageSize);
  return (
    <section aria-labelledby={titleId}>
      <h3 id={titleId} className="invite-group">
        {title} <span>{formatNumber(rows.length)}</span>
      </h3>
      <ul className="invite-rows">
        {rows
          .filter((row, index) => index < shownCount || row.id === correcting.correction?.id)
          .map((row) => (
            <Row key={row.id} row={row} {...correcting} />
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

function Row({ row, correction, onCorrect, onChange }: Correcting & { row: DraftRow }) {
  const isCorrecting = correction?.id === row.id;
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
            aria-expanded={isCorrecting}
            onClick={() => {
              flushSync(() => onCorrect(isCorrecting ? null : { id: row.id, email: row.email }));
              document.getElementById(correctionId)?.focus();
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
      {isCorrecting && !row.out && (
        <form
          className="invite-row-editor"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            onCorrect(null);
            onChange({ ...row, email: correction.email.trim() });
          }}
        >
          <TextField
            id={correctionId}
            label={t`Address`}
            type="email"
            autoComplete="off"
            maxLength={rowTextMaximum.email}
            error={correction.isBlocking && t`Save this correction, or cancel it, before you send.`}
            value={correction.email}
            onChange={({ currentTarget: { value } }) => onCorrect({ id: row.id, email: value })}
          />
          <div className="invite-row-actions">
            <Button size="small" onClick={() => onCorrect(null)}>
              {t`Cancel`}
            </Button>
            <Button size="small" variant="primary" type="submit">
              {t`Save`}
            </Button>
          </div>
        </form>
      )}
    </li>
  );
}
