/** Accounts at providers that a person can sign in with. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { listIdentities, listIdentitiesOf, type Identity } from '@vestibule/contract/sign-in/identities';
import type { ReactNode } from 'react';
import { call } from '../../lib/call.ts';
import { useChanges } from '../../lib/live-changes.ts';
import { Badge } from '../../ui/marks/badge.tsx';
import { Loading } from '../../ui/states.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { Card } from '../../ui/shell/page.tsx';

/** Loads the identities of a person; null loads those of the caller. */
export function useIdentities(personId: string | null) {
  const query = useQuery({
    queryKey: ['identities', personId],
    queryFn: ({ signal }) =>
      personId === null
        ? call(listIdentities, { signal })
        : call(listIdentitiesOf, { params: { personId }, signal }),
    refetchOnMount: 'always',
  });
  useChanges(personId === null ? 'me' : 'people', () => void query.refetch());
  return query;
}

export function IdentityList({
  query,
  isShown = () => true,
  renderActions,
}: {
  query: ReturnType<typeof useIdentities>;
  isShown?: (identity: Identity) => boolean;
  renderActions?: (identity: Identity) => ReactNode;
}) {
  if (!query.data)
    return <Loading query={query} title={t`The sign-in methods could not be loaded.`} lines={2} />;
  return (
    <RecordList
      label={t`Sign-in methods`}
      entries={query.data.rows.filter(isShown).map((identity) => ({
        id: identity.id,
        text: nameOf(identity),
        detail: detailOf(identity),
        badges: (
          <>
            {!identity.isOpen && <Badge tone="warning">{t`No longer offered`}</Badge>}
            {identity.current && <Badge tone="accent">{t`This browser`}</Badge>}
            {renderActions?.(identity)}
          </>
        ),
      }))}
    />
  );
}

export function PersonSignInMethods({ personId, more }: { personId: string; more?: ReactNode }) {
  return (
    <Card title={t`Sign-in methods`}>
      <IdentityList query={useIdentities(personId)} isShown={isAccount} />
      {more}
    </Card>
  );
}

/** Returns false for passkeys, which together are a single identity and are listed separately. */
export const isAccount = ({ way }: Identity): boolean => way !== 'passkeys';

/** Returns a name such as "Acme (ann@example.com)". */
export const nameOf = ({ wayName, email }: Identity): string =>
  email === null ? wayName : `${wayName} (${email})`;

const detailOf = ({ addedAt, lastSignInAt }: Identity) =>
  lastSignInAt === null ? (
    <Trans>
      Added <Moment at={addedAt} />; not used yet
    </Trans>
  ) : (
    <Trans>
      Added <Moment at={addedAt} />; last used <Moment at={lastSignInAt} />
    </Trans>
  );
