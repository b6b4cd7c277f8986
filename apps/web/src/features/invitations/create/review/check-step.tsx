/** Review step: the server's verdict for each row before sending. */
import { plural, t } from '@lingui/core/macro';
import { Plural } from '@lingui/react/macro';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { formatNumber } from '../../../../language/formats.ts';
import { saveFile } from '../../../../ui/save-file.ts';
import { Button } from '../../../../ui/button.tsx';
import { CheckBox } from '../../../../ui/fields/check-box.tsx';
import { Dialog } from '../../../../ui/dialog/dialog.tsx';
import { useLineFocus } from '../../../../ui/events/use-line-focus.ts';
import { countOf, countRows } from '../../invitation-texts.ts';
import { CheckedRows, correctionId, type Correction } from './checked-rows.tsx';
import { groupOf, rowGroups, countOutcome, problemGroups, type Group } from './outcome.ts';
import { formatProblemRows } from './problem-rows.ts';
import type { DraftRow } from '../invite-draft.ts';
import { SeatNote } from '../seat-note.tsx';
import type { InviteState } from '../use-invite.ts';

export function CheckStep({ invite }: { invite: InviteState }) {
  const { draft, isChecking, errorMessage, changeDraft, replaceRow } = invite;
  const { rows, sendAgain, inviteLookAlikes } = draft;
  const [selected, setSelected] = useState<Group | 'all'>('all');
  const groups = rowGroups()
    .map(({ group, title }) => ({ group, title, rows: rows.filter((row) => groupOf(row) === group) }))
    .filter((group) => group.rows.length > 0);
  const { invited, sentAgain, skipped } = countOutcome(draft);
  const problemRows = rows.filter((row) => problemGroups.has(groupOf(row)));
  const shownGroup = groups.some(({ group }) => group === selected) ? selected : 'all';
  const [correction, setCorrection] = useState<Correction | null>(null);
  const lineFocus = useLineFocus('button');
  const send = () => {
    const corrected = correction && rows.find(({ id, out }) => id === correction.id && !out);
    if (!corrected || corrected.email === correction.email) return invite.send();
    flushSync(() => {
      setSelected('all');
      setCorrection({ ...correction, isBlocking: true });
    });
    document.getElementById(correctionId)?.focus();
  };

  return (
    <Dialog
      title={t`Review before sending`}
      width={760}
      onClose={invite.close}
      actions={
        <>
          <Button onClick={invite.goBack}>{t`Back`}</Button>
          <Button variant="primary" busy={isChecking} disabled={invited + sentAgain === 0} onClick={send}>
            {t`Send ${countOf(invited + sentAgain)}`}
          </Button>
        </>
      }
    >
      <div role="alert">{errorMessage && <p className="form-errors">{errorMessage}</p>}</div>
      <div {...lineFocus} className="invite-check" aria-busy={isChecking}>
        <output>
          {[
            plural(invited, { one: '# person will be invited', other: '# people will be invited' }),
            ...(sentAgain > 0 ? [t`, ${countOf(sentAgain)} resent`] : []),
            ...(skipped > 0 ? [t`; ${countRows(skipped)} skipped`] : []),
          ].join('')}
          {t`. Nothing has been sent yet.`}
        </output>
        <SeatNote invited={invited} />
        <fieldset className="button-row">
          <legend className="visually-hidden">{t`Show`}</legend>
          {[{ group: 'all' as const, title: t`All`, rows }, ...groups].map(
            ({ group, title, rows: groupRows }) => (
              <button
                key={group}
                type="button"
                className="invite-filter"
                aria-pressed={shownGroup === group}
                onClick={() => setSelected(group)}
              >
                {title} <b>{formatNumber(groupRows.length)}</b>
              </button>
            ),
          )}
        </fieldset>
        {groups.some(({ group }) => group === 'invited') && (
          <CheckBox
            className="invite-choice"
            checked={sendAgain}
            onChange={(isChecked) => changeDraft({ sendAgain: isChecked })}
          >
            {t`Resend the e-mail to people already invited`}
          </CheckBox>
        )}
        {groups.some(({ group }) => group === 'look_alike') && (
          <CheckBox
            className="invite-choice"
            checked={inviteLookAlikes}
            onChange={(isChecked) => changeDraft({ inviteLookAlikes: isChecked })}
          >
            {t`I have checked the similar addresses: invite them too`}
          </CheckBox>
        )}
        {groups
          .filter(({ group }) => shownGroup === 'all' || shownGroup === group)
          .map(({ group, title, rows: groupRows }) => (
            <CheckedRows
              key={group}
              title={title}
              rows={groupRows}
              correction={correction}
              onCorrect={setCorrection}
              onChange={replaceRow}
            />
          ))}
        {problemRows.length > 0 && (
          <p>
            <Button size="small" onClick={() => saveProblemRows(problemRows)}>
              <Plural
                value={problemRows.length}
                one="Download the # row with problems"
                other="Download the # rows with problems"
              />
            </Button>
          </p>
        )}
      </div>
    </Dialog>
  );
}

function saveProblemRows(rows: readonly DraftRow[]): void {
  saveFile(
    new Blob([formatProblemRows(rows)], { type: 'text/csv;charset=utf-16le' }),
    'rows-with-problems.csv',
  );
}
