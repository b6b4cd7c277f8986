/** The dry run: what will become of every row, by verdict; rows are taken out, put back and corrected here. */
import { plural, t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import type { RowVerdict } from '@vestibule/contract/invitation-batches';
import { useId, useState } from 'react';
import { formatNumber } from '../../../language/formats.ts';
import { inLanguage } from '../../../language/known-texts.ts';
import { Button } from '../../../ui/button.tsx';
import { SelectField } from '../../../ui/fields/select-field.tsx';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { countOf, countRows, roleOptions } from '../invitation-words.ts';
import type { DraftRow } from './invite-draft.ts';
import { problemRowsAsCsv } from './problem-rows.ts';
import { saveFile } from '../../../lib/save-file.ts';
import type { Entry } from './typed-addresses.ts';

/** A verdict, or where somebody has taken a row out. */
type Group = RowVerdict | 'out';

/** In the order in which they matter to whoever looks at them. */
const groups = (): readonly { group: Group; title: string }[] => [
  { group: 'invalid', title: t`Not right` },
  { group: 'domain_not_allowed', title: t`Domain not allowed` },
  { group: 'look_alike', title: t`Look like another address` },
  { group: 'duplicate', title: t`Twice in the list` },
  { group: 'invited', title: t`Already invited` },
  { group: 'member', title: t`Already inside` },
  { group: 'new', title: t`New` },
  { group: 'out', title: t`Taken out` },
];

const problems: ReadonlySet<Group> = new Set<Group>([
  'invalid',
  'domain_not_allowed',
  'look_alike',
  'duplicate',
]);

/** Rows per group that are shown before somebody asks for more. */
const portion = 50;

const groupOf = (row: DraftRow): Group => (row.out ? 'out' : (row.check?.verdict ?? 'new'));

/** How many rows will be invited, and sent again, as things stand. */
export function outcomeOf(
  rows: readonly DraftRow[],
  { sendAgain, inviteLookAlikes }: { sendAgain: boolean; inviteLookAlikes: boolean },
): { invited: number; sentAgain: number; leftOut: number } {
  const count = (wanted: Group) => rows.filter((row) => groupOf(row) === wanted).length;
  const invited = count('new') + (inviteLookAlikes ? count('look_alike') : 0);
  const sentAgain = sendAgain ? count('invited') : 0;
  return { invited, sentAgain, leftOut: rows.length - invited - sentAgain };
}

export function CheckStep({
  rows,
  checking,
  sendAgain,
  inviteLookAlikes,
  onChoice,
  onChange,
}: {
  rows: readonly DraftRow[];
  checking: boolean;
  sendAgain: boolean;
  inviteLookAlikes: boolean;
  onChoice: (choice: { sendAgain?: boolean; inviteLookAlikes?: boolean }) => void;
  /** A row was corrected, taken out or put back. */
  onChange: (row: DraftRow) => void;
}) {
  const [shown, setShown] = useState<Group | 'all'>('all');
  const found = groups()
    .map((one) => ({ ...one, rows: rows.filter((row) => groupOf(row) === one.group) }))
    .filter((one) => one.rows.length > 0);
  const { invited, sentAgain, leftOut } = outcomeOf(rows, { sendAgain, inviteLookAlikes });
  const troubled = rows.filter((row) => problems.has(groupOf(row)));
  const chosen = found.some(({ group }) => group === shown) ? shown : 'all';

  return (
    <div className="invite-check" aria-busy={checking}>
      <output>
        {[
          plural(invited, { one: '# person will be invited', other: '# people will be invited' }),
          ...(sentAgain > 0 ? [t`, ${countOf(sentAgain)} sent again`] : []),
          ...(leftOut > 0 ? [t`; ${countRows(leftOut)} left out`] : []),
        ].join('')}
        <Trans>. Nothing has been sent yet.</Trans>
      </output>
      <fieldset className="invite-filters">
        <legend className="visually-hidden">
          <Trans>Show</Trans>
        </legend>
        {[{ group: 'all' as const, title: t`All`, rows }, ...found].map(({ group, title, rows: some }) => (
          <button
            key={group}
            type="button"
            className="invite-filter"
            aria-pressed={chosen === group}
            onClick={() => setShown(group)}
          >
            {title} <b>{formatNumber(some.length)}</b>
          </button>
        ))}
      </fieldset>
      {found.some(({ group }) => group === 'invited') && (
        <label className="invite-choice">
          <input
            type="checkbox"
            checked={sendAgain}
            onChange={({ currentTarget }) => onChoice({ sendAgain: currentTarget.checked })}
          />
          <Trans>Send the mail again to those who are already invited</Trans>
        </label>
      )}
      {found.some(({ group }) => group === 'look_alike') && (
        <label className="invite-choice">
          <input
            type="checkbox"
            checked={inviteLookAlikes}
            onChange={({ currentTarget }) => onChoice({ inviteLookAlikes: currentTarget.checked })}
          />
          <Trans>I have looked at the addresses that look like another one: invite them too</Trans>
        </label>
      )}
      {found
        .filter(({ group }) => chosen === 'all' || chosen === group)
        .map(({ group, title, rows: some }) => (
          <RowGroup key={group} title={title} rows={some} onChange={onChange} />
        ))}
      {troubled.length > 0 && (
        <p>
          <Button
            size="small"
            onClick={() =>
              saveFile(
                new Blob([problemRowsAsCsv(troubled)], { type: 'text/csv;charset=utf-8' }),
                'rows-with-problems.csv',
              )
            }
          >
            <Plural
              value={troubled.length}
              one="Download the # row with problems"
              other="Download the # rows with problems"
            />
          </Button>
        </p>
      )}
    </div>
  );
}

function RowGroup({
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
        <Button size="small" variant="quiet" onClick={() => setMost(most + 10 * portion)}>
          <Trans>Show more ({formatNumber(rows.length - most)})</Trans>
        </Button>
      )}
    </section>
  );
}

function Row({ row, onChange }: { row: DraftRow; onChange: (row: DraftRow) => void }) {
  const [editing, setEditing] = useState(false);
  const who = row.email || row.name || t`row ${row.id}`;
  return (
    <li>
      <div className="invite-row-who">
        {row.check && !row.out && <b>{row.check.row}</b>}
        <span>{row.email || t`No address`}</span>
        {row.name && <small>{row.name}</small>}
        {row.check && !row.out && <p>{inLanguage(row.check.message)}</p>}
      </div>
      <div className="invite-row-actions">
        {!row.out && (
          <Button
            size="small"
            variant="quiet"
            aria-label={t`Correct ${who}`}
            aria-expanded={editing}
            onClick={() => setEditing(!editing)}
          >
            <Trans>Correct</Trans>
          </Button>
        )}
        <Button
          size="small"
          variant="quiet"
          aria-label={row.out ? t`Put back ${who}` : t`Take out ${who}`}
          onClick={() => onChange({ ...row, out: !row.out, check: undefined })}
        >
          {row.out ? t`Put back` : t`Take out`}
        </Button>
      </div>
      {editing && !row.out && (
        <RowEditor
          row={row}
          onCancel={() => setEditing(false)}
          onSave={(entry) => {
            setEditing(false);
            onChange({ ...row, ...entry });
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
  const [email, setEmail] = useState(row.email);
  const [name, setName] = useState(row.name);
  const [message, setMessage] = useState(row.message ?? '');
  const [role, setRole] = useState(roleOptions().some(({ value }) => value === row.role) ? row.role : '');
  return (
    <form
      className="invite-row-editor"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
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
        ref={focus}
        maxLength={1000}
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <TextField
        label={t`Name`}
        autoComplete="off"
        maxLength={1000}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <SelectField
        label={t`Role`}
        options={[{ value: '', label: t`As chosen for all` }, ...roleOptions()]}
        value={role}
        onChange={({ currentTarget }) => setRole(currentTarget.value)}
      />
      {row.message && (
        <TextArea
          label={t`Message`}
          maxLength={4000}
          value={message}
          onChange={({ currentTarget }) => setMessage(currentTarget.value)}
        />
      )}
      <div className="invite-row-actions">
        <Button size="small" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
        <Button size="small" variant="primary" type="submit">
          <Trans>Save</Trans>
        </Button>
      </div>
    </form>
  );
}

/** Whoever opens the editor wants to type in it. */
function focus(field: HTMLInputElement | null): void {
  field?.focus();
}
