/** Problems with typed recipients, as found by the server. */
import { plural, t } from '@lingui/core/macro';
import type { RowCheck } from '@vestibule/contract/invitations/batches';
import { formatMessage } from '../../../../language/format-message.ts';
import { Button, QuietButton } from '../../../../ui/button.tsx';
import type { Entry } from '../import/typed-addresses.ts';

/** Further ones are only marked on the chips. */
const most = 4;

export function Notes({
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
  const doubted = people.flatMap((entry, index) => {
    const check = checks.get(entry);
    return check && check.verdict !== 'new' ? [{ entry, check, index }] : [];
  });
  const more = doubted.length - most;
  return (
    <div aria-live="polite">
      {doubted.length > 0 && (
        <ul className="chip-notes">
          {doubted.slice(0, most).map(({ entry, check, index }) => (
            <Note
              // An address may occur twice.
              key={`${entry.email} ${index}`}
              entry={entry}
              check={check}
              onReplace={(fresh) => onReplace(entry, fresh)}
              onRemove={() => onRemove(entry)}
            />
          ))}
          {more > 0 && (
            <li>{plural(more, { one: '# more is marked above', other: '# more are marked above' })}</li>
          )}
        </ul>
      )}
    </div>
  );
}

function Note({
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
          <QuietButton name="leave-out" aria-label={t`Leave out ${email}`} onClick={onRemove}>
            {t`Leave out`}
          </QuietButton>
        )}
      </span>
    </li>
  );
}
