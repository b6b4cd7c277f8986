import { t } from '@lingui/core/macro';
import { listSignIns } from '@vestibule/contract/people';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { signInText } from '../../lib/sign-in/sign-in-text.ts';
import { Loading } from '../../ui/loading.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import './people.css';

export function SignIns({ personId }: { personId: string }) {
  const query = useApiQuery(listSignIns, { key: ['person', personId, 'sign-ins'], params: { personId } });
  if (!query.data) return <Loading query={query} title={t`The sign-ins could not be loaded`} lines={4} />;
  if (query.data.rows.length === 0) return <p className="small-print">{t`Not signed in yet.`}</p>;
  return (
    <>
      <RecordList
        label={t`Sign-ins`}
        entries={query.data.rows.map((signIn) => ({
          id: signIn.id,
          text: <Moment at={signIn.at} />,
          detail: signInText(signIn),
        }))}
      />
      {query.data.rows.length >= 50 && <p className="small-print">{t`Older ones are not kept.`}</p>}
    </>
  );
}
