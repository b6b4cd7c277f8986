/** The dry run: what will become of every row, by verdict; rows are taken out, put back and corrected here. */
import type { RowVerdict } from '@vestibule/contract/invitation-batches';
import { useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { countOf, roleOptions } from './invitation-words.ts';
import type { DraftRow } from './invite-draft.ts';
import { problemRowsAsCsv } from './problem-rows.ts';
import { saveFile } from './save-file.ts';
import type { Entry } from './typed-addresses.ts';

/** A verdict, or where somebody has taken a row out. */
type Group = RowVerdict | 'out';

/** In the order in which they matter to whoever looks at them. */
const groups: readonly { group: Group; title: string }[] = [
  { group: 'invalid', title: 'Not right' },
  { group: 'domain_not_allowed', title: 'Domain not allowed' },
  { group: 'look_alike', title: 'Look like another address' },
  { group: 'duplicate', title: 'Twice in the list' },
  { group: 'invited', title: 'Already invited' },
  { group: 'member', title: 'Already inside' },
  { group: 'new', title: 'New' },
  { group: 'out', title: 'Taken out' },
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
  const found = groups
    .map((one) => ({ ...one, rows: rows.filter((row) => groupOf(row) === one.group) }))
    .filter((one) => one.rows.length > 0);
  const { invited, sentAgain, leftOut } = outcomeOf(rows, { sendAgain, inviteLookAlikes });
  const troubled = rows.filter((row) => problems.has(groupOf(row)));
  const chosen = found.some(({ group }) => group === shown) ? shown : 'all';

  return (
    <div className="invite-check" aria-busy={checking}>
      <output>
        {countOf(invited, 'person', 'people')} will be invited
        {sentAgain > 0 && `, ${countOf(sentAgain)} sent again`}
        {leftOut > 0 && `; ${countOf(leftOut, 'row')} left out`}. Nothing has been sent yet.
      </output>
      <fieldset className="invite-filters">
        <legend className="visually-hidden">Show</legend>
        {[{ group: 'all' as const, title: 'All', rows }, ...found].map(({ group, title, rows: some }) => (
          <button
            key={group}
            type="button"
            className="invite-filter"
            aria-pressed={chosen === group}
            onClick={() => setShown(group)}
          >
            {title} <b>{some.length.toLocaleString()}</b>
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
          Send the mail again to those who are already invited
        </label>
      )}
      {found.some(({ group }) => group === 'look_alike') && (
        <label className="invite-choice">
          <input
            type="checkbox"
            checked={inviteLookAlikes}
            onChange={({ currentTarget }) => onChoice({ inviteLookAlikes: currentTarget.checked })}
          />
          I have looked at the addresses that look like another one: invite them too
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
            Download the {countOf(troubled.length, 'row')} with problems
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
        {title} <span>{rows.length.toLocaleString()}</span>
      </h3>
      <ul className="invite-rows">
        {rows.slice(0, most).map((row) => (
          <Row key={row.id} row={row} onChange={onChange} />
        ))}
      </ul>
      {rows.length > most && (
        <Button size="small" variant="quiet" onClick={() => setMost(most + 10 * portion)}>
          Show more ({(rows.length - most).toLocaleString()})
        </Button>
      )}
    </section>
  );
}

function Row({ row, onChange }: { row: DraftRow; onChange: (row: DraftRow) => void }) {
  const [editing, setEditing] = useState(false);
  const who = row.email || row.name || `row ${row.id}`;
  return (
    <li>
      <div className="invite-row-who">
        {row.check && !row.out && <b>{row.check.row}</b>}
        <span>{row.email || 'No address'}</span>
        {row.name && <small>{row.name}</small>}
        {row.check && !row.out && <p>{row.check.message}</p>}
      </div>
      <div className="invite-row-actions">
        {!row.out && (
          <Button
            size="small"
            variant="quiet"
            aria-label={`Correct ${who}`}
            aria-expanded={editing}
            onClick={() => setEditing(!editing)}
          >
            Correct
          </Button>
        )}
        <Button
          size="small"
          variant="quiet"
          aria-label={row.out ? `Put back ${who}` : `Take out ${who}`}
          onClick={() => onChange({ ...row, out: !row.out, check: undefined })}
        >
          {row.out ? 'Put back' : 'Take out'}
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
  const [role, setRole] = useState(roleOptions.some(({ value }) => value === row.role) ? row.role : '');
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
        label="Address"
        type="email"
        autoComplete="off"
        ref={focus}
        maxLength={1000}
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <TextField
        label="Name"
        autoComplete="off"
        maxLength={1000}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <SelectField
        label="Role"
        options={[{ value: '', label: 'As chosen for all' }, ...roleOptions]}
        value={role}
        onChange={({ currentTarget }) => setRole(currentTarget.value)}
      />
      {row.message && (
        <TextArea
          label="Message"
          maxLength={4000}
          value={message}
          onChange={({ currentTarget }) => setMessage(currentTarget.value)}
        />
      )}
      <div className="invite-row-actions">
        <Button size="small" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="small" variant="primary" type="submit">
          Save
        </Button>
      </div>
    </form>
  );
}

/** Whoever opens the editor wants to type in it. */
function focus(field: HTMLInputElement | null): void {
  field?.focus();
}
