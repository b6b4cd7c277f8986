/** Recipients as chips, and a field for the next one. */
import { t } from '@lingui/core/macro';
import { IconAlertTriangle, IconX } from '@tabler/icons-react';
import type { RowCheck } from '@vestibule/contract/invitations/batches';
import type { ClipboardEvent, KeyboardEvent } from 'react';
import { formatMessage } from '../../../../language/format-message.ts';
import { Field } from '../../../../ui/fields/field.tsx';
import { AddressWarnings } from './address-warnings.tsx';
import { splitFinished, type Entry } from '../import/typed-addresses.ts';
import { useChipKeys, type RecipientInput } from './use-chip-keys.ts';

export function AddressChips({
  people,
  addresses,
  checks,
  error,
  onChange,
  onPaste,
}: RecipientInput & {
  checks: ReadonlyMap<Entry, RowCheck>;
  error: string | undefined;
  onChange: (input: RecipientInput) => void;
  /** Returns whether the paste was handled. */
  onPaste: (event: ClipboardEvent<HTMLTextAreaElement>) => boolean;
}) {
  const { box, field, removeAt, edit, onFieldKeyDown, onChipKeyDown, onFieldBlur } = useChipKeys(
    { people, addresses },
    onChange,
  );
  return (
    <>
      <Field
        label={t`E-mail addresses`}
        description={t`One or more, separated by commas or line breaks. Names are recognised too: Anna Berg <anna@example.com>.`}
        error={error}
      >
        {({ className, ...control }) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- only enlarges the click target of the field
          <div
            ref={box}
            className={`${className} chips`}
            onClick={({ target, currentTarget }) => target === currentTarget && field()?.focus()}
          >
            {people.length > 0 && (
              <ul aria-label={t`Addresses so far`}>
                {people.map((entry, index) => (
                  <Chip
                    // oxlint-disable-next-line react/no-array-index-key -- an address may occur twice
                    key={`${entry.email} ${index}`}
                    entry={entry}
                    check={checks.get(entry)}
                    onKeyDown={(event) => onChipKeyDown(event, index)}
                    onEdit={() => edit(entry)}
                    onRemove={() => removeAt(index)}
                  />
                ))}
              </ul>
            )}
            <textarea
              {...control}
              name="addresses"
              rows={1}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              required
              value={addresses}
              onChange={({ currentTarget: { value } }) => {
                const { finished, rest } = splitFinished(value);
                onChange({
                  people: finished.length > 0 ? [...people, ...finished] : people,
                  addresses: rest,
                });
              }}
              onKeyDown={onFieldKeyDown}
              onBlur={onFieldBlur}
              onPaste={(event) => {
                if (onPaste(event)) event.preventDefault();
              }}
            />
          </div>
        )}
      </Field>
      <AddressWarnings
        people={people}
        checks={checks}
        onReplace={(old, entry) =>
          onChange({ people: people.map((person) => (person === old ? entry : person)), addresses })
        }
        onRemove={(entry) => onChange({ people: people.filter((person) => person !== entry), addresses })}
      />
    </>
  );
}

function Chip({
  entry: { email, name },
  check,
  onKeyDown,
  onEdit,
  onRemove,
}: {
  entry: Entry;
  check: RowCheck | undefined;
  onKeyDown: (event: KeyboardEvent) => void;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const hasWarning = check !== undefined && check.verdict !== 'new';
  return (
    <li className={hasWarning ? 'chip chip-warning' : 'chip'}>
      {/* Chips are not tab stops: arrow keys move from the field to the chips. */}
      <button type="button" className="chip-text" tabIndex={-1} onKeyDown={onKeyDown} onClick={onEdit}>
        {hasWarning && <IconAlertTriangle size={14} aria-hidden="true" />}
        <span>
          <span className="visually-hidden">{t`Edit`} </span>
          {name && <b>{name} </b>}
          {email}
          {hasWarning && <span className="visually-hidden">: {formatMessage(check)}</span>}
        </span>
      </button>
      <button
        type="button"
        className="chip-remove"
        tabIndex={-1}
        aria-label={t`Remove ${email}`}
        onClick={onRemove}
      >
        <IconX size={14} aria-hidden="true" />
      </button>
    </li>
  );
}
