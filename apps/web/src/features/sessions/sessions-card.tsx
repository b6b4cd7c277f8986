/** Where somebody is signed in now: every browser with a session of the server's, and the way to end each. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import {
  endMySession,
  endOtherSessions,
  endSessionOf,
  listSessions,
  listSessionsOf,
  sessionErrors,
} from '@vestibule/contract/sign-in/sessions';
import { CallFailure, describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { useChanges } from '../../lib/changes.ts';
import { signInText } from '../../lib/sign-in/sign-in-text.ts';
import { nameOfWay } from '../../lib/sign-in/way-name.ts';
import { Badge } from '../../ui/marks/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast/toast.tsx';

export function SessionsCard({
  title,
  personId,
}: {
  title: string;
  /** Whose; null for the caller's own. */
  personId: string | null;
}) {
  const query = useQuery({
    queryKey: ['sessions', personId],
    queryFn: ({ signal }) =>
      personId === null
        ? call(listSessions, { signal })
        : call(listSessionsOf, { params: { personId }, signal }),
    refetchOnMount: 'always',
  });
  useChanges(personId === null ? 'me' : 'people', () => void query.refetch());
  const rows = query.data?.rows ?? [];

  const end = async (run: () => Promise<unknown>) => {
    try {
      await run();
    } catch (error) {
      // It has ended meanwhile: what was wanted.
      if (!(error instanceof CallFailure && error.code === sessionErrors.notFound.code)) {
        const { message, reference } = describeFailure(error);
        toast.failure(message, { reference });
      }
    }
    await query.refetch();
  };
  const endOne = (sessionId: string) =>
    end(() =>
      personId === null
        ? call(endMySession, { params: { sessionId } })
        : call(endSessionOf, { params: { personId, sessionId } }),
    );
  const failure = query.error && !query.data ? describeFailure(query.error) : null;

  return (
    <Card
      title={title}
      actions={
        personId === null &&
        rows.some(({ current }) => !current) && (
          <Button onClick={() => end(() => call(endOtherSessions))}>
            <Trans>Sign out all others</Trans>
          </Button>
        )
      }
    >
      {query.isPending && <Skeleton lines={3} />}
      {failure && (
        <Failure title={t`The sessions could not be loaded`} {...failure} onRetry={() => query.refetch()} />
      )}
      {query.data && rows.length === 0 && (
        <p>
          <Trans>Nowhere at the moment.</Trans>
        </p>
      )}
      {rows.length > 0 && (
        <RecordList
          label={t`Sessions`}
          entries={rows.map((session) => ({
            id: session.id,
            text: signInText(session),
            detail: (
              <Trans>
                Through {nameOfWay(session.way)}, signed in <Moment at={session.since} />; last seen{' '}
                <Moment at={session.lastSeenAt} />
              </Trans>
            ),
            badges: session.current ? (
              <Badge tone="accent">
                <Trans>This browser</Trans>
              </Badge>
            ) : (
              <Button
                size="small"
                aria-label={t`Sign out ${signInText(session)}`}
                onClick={() => endOne(session.id)}
              >
                <Trans>Sign out</Trans>
              </Button>
            ),
          }))}
        />
      )}
    </Card>
  );
}
