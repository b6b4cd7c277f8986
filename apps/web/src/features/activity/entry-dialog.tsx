/** One entry of the log: who, whom, from where, and what it changed. */
import type { Activity } from '@vestibule/contract/activity';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { actionWords, readDetail } from './activity-words.ts';
import './activity.css';

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

export function EntryDialog({ entry, onClose }: { entry: Activity; onClose: () => void }) {
  const { changes, others } = readDetail(entry.detail);
  return (
    <Dialog
      title={actionWords(entry.action)}
      width={640}
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      }
    >
      <div className="entry">
        <Facts
          items={[
            { name: 'When', value: moment.format(new Date(entry.at)) },
            {
              name: 'Who',
              value: entry.tokenName
                ? `${entry.actor}, by the access token “${entry.tokenName}”`
                : entry.actor,
            },
            { name: 'Whom', value: entry.target || '–' },
            { name: 'From', value: entry.address || '–' },
            ...others,
          ]}
        />
        {changes.length > 0 && (
          <table className="entry-changes">
            <caption>What changed</caption>
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">Before</th>
                <th scope="col">After</th>
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
        <span className="reference">
          Entry {entry.id} · Reference {entry.requestId}
        </span>
      </div>
    </Dialog>
  );
}
