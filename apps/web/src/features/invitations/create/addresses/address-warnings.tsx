/** Problems with typed recipients, as found by the server. */
import { plural, t } from '@lingui/core/macro';
import type { RowCheck } from '@vestibule/contract/invitations/batches';
import { formatMessage } from '../../../../language/format-message.ts';
import { Button, QuietButton } from '../../../../ui/button.tsx';
import type { Entry } from '../import/typed-addresses.ts';

/** Maximum number of listed problems. Further problems are only marked on the chips. */
const maximumShown = 4;

export function AddressWarnings({
  people,
  checks,
  onReplace,
  onRemove,
}: {
  people: readonly Entry[];
  checks: ReadonlyMap<Entry, RowCheck>;
  onReplace: (old: Entry, entry: Entry) => void;
  onRemove: (entry: Entry) => void;
}) {
  const warnings = people.flatMap((entry, index) => {
    const check = checks.get(entry);
    return check && check.verdict !== 'new' ? [{ entry, check, index }] : [];
  });
  const hiddenCount = warnings.length - maximumShown;
  return (
    <div aria-live="polite">
      {warnings.length > 0 && (
        <ul className="chip-warnings">
          {warnings.slice(0, maximumShown).map(({ entry, check, index }) => (
            <AddressWarning
              // An address may occur twice.
              key={`${entry.email} ${index}`}
              entry={entry}
              check={check}
              onReplace={(replacement) => onReplace(entry, replacement)}
              onRemove={() => onRemove(entry)}
            />
          ))}
          {hiddenCount > 0 && (
            <li>
              {plural(hiddenCount, { one: '# more is marked above', other: '# more are marked above' })}
            </li>
          )}
        </ul>
      )}
    </div>
  );
}

function AddressWarning({
  entry,
  check,
  onReplace,
  onRemove,
}: {
  entry: Entry;
  check: RowCheck;
  onReplace: (entry: Entry) => void;
  onRemove: () => void;
}) {
  const { email } = entry;
  const { suggestion } = check;
  return (
    <li>
      <span>
        <strong>{email}</strong> {formatMessage(check)}
      </span>
      <span className="button-row">
        {suggestion && (
          <Button size="small" name="use" onClick={() => onReplace({ ...entry, email: suggestion })}>
            {t`Use ${suggestion}`}
          </Button>
        )}
        {check.verdict !== 'doubtful_domain' && (
          <QuietButton name="remove" aria-label={t`Leave out ${email}`} onClick={onRemove}>
            {t`Leave out`}
          </QuietButton>
        )}
      </span>
    </li>
  );
}
