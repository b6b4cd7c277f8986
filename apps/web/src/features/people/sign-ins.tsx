/** When, from where and with what somebody signed in. */
import { useQuery } from '@tanstack/react-query';
import { listSignIns } from '@vestibule/contract/people';
import { describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { Failure } from '../../ui/failure.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import './people.css';

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export function SignIns({ personId }: { personId: string }) {
  const query = useQuery({
    queryKey: ['person', personId, 'sign-ins'],
    queryFn: ({ signal }) => call(listSignIns, { params: { personId }, signal }),
  });
  if (query.isPending) return <Skeleton lines={4} />;
  if (query.isError) {
    const { message, reference } = describeFailure(query.error);
    return (
      <Failure title="The sign-ins could not be loaded" reference={reference} onRetry={() => query.refetch()}>
        {message}
      </Failure>
    );
  }
  if (query.data.rows.length === 0) return <p className="people-quiet">Has not signed in yet.</p>;
  return (
    <>
      <ScrollRegion className="sign-ins" label="Sign-ins">
        <ul>
          {query.data.rows.map(({ id, at, address, browser }) => (
            <li key={id}>
              {moment.format(new Date(at))}
              <small>
                {browser}, from {address}
              </small>
            </li>
          ))}
        </ul>
      </ScrollRegion>
      {query.data.rows.length >= 50 && <p className="people-quiet">Older ones are not kept.</p>}
    </>
  );
}
