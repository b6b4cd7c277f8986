/** Latest files of a person, for administrators. */
import { t } from '@lingui/core/macro';
import { Plural } from '@lingui/react/macro';
import { listAttachments } from '@vestibule/contract/attachments';
import { formatSize } from '../../language/formats.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { StateBadge } from '../../ui/marks/badge.tsx';
import { Loading } from '../../ui/states.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { DotSeparated, RecordList } from '../../ui/record-list.tsx';
import { describeAudience, statusLabels } from './attachment-texts.ts';
import './attachments.css';

const shown = 20;

export function PersonFiles({ personId }: { personId: string }) {
  const query = useApiQuery(listAttachments, {
    key: ['person', personId, 'files'],
    query: {
      limit: shown,
      sort: 'createdAt',
      direction: 'desc',
      filters: JSON.stringify([{ column: 'ownerId', is: 'oneOf', values: [personId] }]),
    },
  });
  if (!query.data) return <Loading query={query} title={t`The files could not be loaded`} lines={3} />;
  const { rows, total } = query.data;
  if (rows.length === 0) return <p className="small-print">{t`No files here.`}</p>;
  const words = statusLabels();
  const more = (total ?? 0) - rows.length;
  return (
    <>
      <RecordList
        label={t`Files`}
        entries={rows.map((file) => ({
          id: file.id,
          text: file.name,
          detail: (
            <DotSeparated
              facts={[formatSize(file.size), <Moment key="at" at={file.createdAt} />, describeAudience(file)]}
            />
          ),
          badges: file.status !== 'ready' && <StateBadge of={words[file.status]} />,
        }))}
      />
      {more > 0 && (
        <p className="small-print">
          <Plural value={more} one="and # older file." other="and # older files." />
        </p>
      )}
    </>
  );
}
