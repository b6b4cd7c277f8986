/** Review step: the server's verdict for each row before sending. */
import { plural, t } from '@lingui/core/macro';
import { Plural } from '@lingui/react/macro';
import { useState } from 'react';
import { formatNumber } from '../../../../language/formats.ts';
import { saveFile } from '../../../../ui/save-file.ts';
import { Button } from '../../../../ui/button.tsx';
import { CheckBox } from '../../../../ui/fields/check-box.tsx';
import { Dialog } from '../../../../ui/dialog/dialog.tsx';
import { useLineFocus } from '../../../../ui/events/use-line-focus.ts';
import { countOf, countRows } from '../../invitation-texts.ts';
import { ListReading } from '../list-reading.tsx';
import { CheckedRows } from './checked-rows.tsx';
import { groupOf, groups, outcomeOf, problems, type Group } from './outcome.ts';
import { problemRowsAsCsv } from './problem-rows.ts';
import { useCorrections } from './use-corrections.ts';
import type { Inviting } from '../use-inviting.ts';

export function CheckStep({ inviting }: { inviting: Inviting }) {
  const { draft, checking, trouble, change, close, goBack, replaceRow, chooseReading, send } = inviting;
  const { rows, sendAgain, inviteLookAlikes } = draft;
  const tables = draft.lists.filter(({ titles, notes }) => titles.length > 0 || notes.length > 0);
  const [shown, setShown] = useState<Group | 'all'>('all');
  const found = groups()
    .map((one) => ({ ...one, rows: rows.filter((row) => groupOf(row) === one.group) }))
    .filter((one) => one.rows.length > 0);
  const { invited, sentAgain, leftOut } = outcomeOf(draft);
  const troubled = rows.filter((row) => problems.has(groupOf(row)));
  const chosen = found.some(({ group }) => group === shown) ? shown : 'all';
  const { correcting, refuseUnsaved } = useCorrections(rows);
  const lineFocus = useLineFocus('button');

  return (
    <Dialog
      title={t`Review before sending`}
      width={760}
      onClose={close}
      actions={
        <>
          <Button onClick={goBack}>{t`Back`}</Button>
          <Button
            variant="primary"
            busy={checking}
            disabled={invited + sentAgain === 0}
            onClick={() => refuseUnsaved(() => setShown('all')) || send()}
          >
            {t`Send ${countOf(invited + sentAgain)}`}
          </Button>
        </>
      }
    >
      <div role="alert">{trouble && <p className="form-errors">{trouble}</p>}</div>
      <div {...lineFocus} className="invite-check" aria-busy={checking}>
        <output>
          {[
            plural(invited, { one: '# person will be invited', other: '# people will be invited' }),
            ...(sentAgain > 0 ? [t`, ${countOf(sentAgain)} resent`] : []),
            ...(leftOut > 0 ? [t`; ${countRows(leftOut)} skipped`] : []),
          ].join('')}
          {t`. Nothing has been sent yet.`}
        </output>
        {tables.length > 0 && (
          <div className="invite-lists">
            {tables.map((list) => (
              <section key={list.id} aria-label={list.title}>
                <div>
                  <strong>{list.title}</strong>
                  <ListReading list={list} onChoose={(choices) => void chooseReading(list, choices)} />
                </div>
              </section>
            ))}
          </div>
        )}
        <fieldset className="button-row">
          <legend className="visually-hidden">{t`Show`}</legend>
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
          <CheckBox
            className="invite-choice"
            checked={sendAgain}
            onChange={(next) => change({ sendAgain: next })}
          >
            {t`Resend the e-mail to people already invited`}
          </CheckBox>
        )}
        {found.some(({ group }) => group === 'look_alike') && (
          <CheckBox
            className="invite-choice"
            checked={inviteLookAlikes}
            onChange={(next) => change({ inviteLookAlikes: next })}
          >
            {t`I have checked the similar addresses: invite them too`}
          </CheckBox>
        )}
        {found
          .filter(({ group }) => chosen === 'all' || chosen === group)
          .map(({ group, title, rows: some }) => (
            <CheckedRows key={group} title={title} rows={some} {...correcting} onChange={replaceRow} />
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
    </Dialog>
  );
}
