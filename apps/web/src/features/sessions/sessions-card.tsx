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
import { CallFailure, describeFailure } from '../../language/call-failure.ts';
import { call } from '../../lib/call.ts';
import { useChanges } from '../../lib/live-changes.ts';
import { signInText, methodLabel } from '../../lib/sign-in/sign-in-text.ts';
import { Badge } from '../../ui/marks/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Loading } from '../../ui/states.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { toast } from '../../ui/toast/toast.tsx';

export function SessionsCard({
  title,
  personId,
}: {
  title: string;
  /** The person whose sessions are listed; null for the caller. */
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
      // The session has already ended.
      if (!(error instanceof CallFailure && error.code === sessionErrors.notFound.code)) {
        toast.failure(describeFailure(error));
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

  return (
    <Card
      title={title}
      actions={
        personId === null &&
        rows.some(({ current }) => !current) && (
          <Button onClick={() => end(() => call(endOtherSessions))}>{t`Sign out all others`}</Button>
        )
      }
    >
      <Loading query={query} title={t`The sessions could not be loaded`} lines={3} />
      {query.data && (
        <RecordList
          label={t`Sessions`}
          empty={t`Nowhere right now.`}
          entries={rows.map((session) => ({
            id: session.id,
            text: signInText(session),
            detail: (
              <Trans>
                Through {methodLabel(session.way)}, signed in <Moment at={session.since} />; last seen{' '}
                <Moment at={session.lastSeenAt} />
              </Trans>
            ),
            badges: session.current ? (
              <Badge tone="accent">{t`This browser`}</Badge>
            ) : (
              <Button
                size="small"
                aria-label={t`Sign out ${signInText(session)}`}
                onClick={() => endOne(session.id)}
              >
                {t`Sign out`}
              </Button>
            ),
          }))}
        />
      )}
    </Card>
  );
}
