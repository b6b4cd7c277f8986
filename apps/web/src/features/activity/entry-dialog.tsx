import { t } from '@lingui/core/macro';
import type { Activity } from '@vestibule/contract/activity';
import { formatMoment } from '../../language/moment.ts';
import { CloseAction, Dialog } from '../../ui/dialog/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { actionLabel, actorOf, affectedBy, readDetail, targetLabel } from './activity-texts.ts';
import { PersonCell } from '../../ui/person/person.tsx';
import './activity.css';

export default function EntryDialog({ entry, onClose }: { entry: Activity; onClose: () => void }) {
  const affected = affectedBy(entry);
  const { changes, others } = readDetail(entry.detail);
  return (
    <Dialog
      title={actionLabel(entry.action)}
      width={640}
      onClose={onClose}
      actions={<CloseAction onClose={onClose} />}
    >
      <div className="entry">
        <Facts
          items={[
            { name: t`When`, value: formatMoment(entry.at, { dateStyle: 'full', timeStyle: 'long' }) },
            { name: t`Who`, value: <PersonCell person={actorOf({ ...entry, tokenName: null })} /> },
            ...(entry.tokenName ? [{ name: t`Access token`, value: entry.tokenName }] : []),
            {
              name: t`Affected`,
              value: affected ? <PersonCell person={affected} /> : targetLabel(entry) || '–',
            },
            { name: t`From`, value: entry.address || '–' },
            ...others,
          ]}
        />
        {changes.length > 0 && (
          <table className="entry-changes">
            <caption>{t`What changed`}</caption>
            <thead>
              <tr>
                <th scope="col">{t`Field`}</th>
                <th scope="col">{t`Before`}</th>
                <th scope="col">{t`After`}</th>
              </tr>
            </thead>
            <tbody>
              {changes.map(({ field, before, after }) => (
                <tr key={field}>
                  <th scope="row">{field}</th>
                  <td>{before}</td>
                  <td>{after}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <span className="reference">{t`Entry ${entry.id} · Reference ${entry.requestId}`}</span>
      </div>
    </Dialog>
  );
}
