import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { latestFilesParameters, listAttachments } from '@vestibule/contract/attachments';
import { getOwnDashboard } from '@vestibule/contract/dashboard';
import { listMyOrganizations } from '@vestibule/contract/organizations/mine';
import type { UserDetail } from '@vestibule/contract/profile/me';
import { formatDay, formatSize } from '../../language/formats.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { signInText } from '../../lib/sign-in/sign-in-text.ts';
import { Facts } from '../../ui/facts.tsx';
import { Loading } from '../../ui/states.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { DotSeparated, RecordList } from '../../ui/record-list.tsx';
import { RoleBadge } from '../../ui/marks/badge.tsx';
import { Address } from '../../ui/person/person.tsx';
import './dashboard.css';

function useOwnDashboard() {
  return useApiQuery(getOwnDashboard, { key: ['dashboard', 'own'] });
}

const shownOrganizations = 5;

/** Links to the user's organizations: on phones, the navigation is behind a button. */
export function MyOrganizations() {
  const { data } = useApiQuery(listMyOrganizations, { key: ['my organizations'] });
  if (!data || data.rows.length === 0) return null;
  return (
    <>
      {' '}
      {t`Your organizations:`}{' '}
      <DotSeparated
        facts={[
          ...data.rows.slice(0, shownOrganizations).map(({ name, slug }) => (
            <Link key={slug} to="/layout/organization/$slug" params={{ slug }}>
              {name}
            </Link>
          )),
          data.rows.length > shownOrganizations && (
            <Link key="" to="/layout/profile">{t`All organizations`}</Link>
          ),
        ]}
      />
    </>
  );
}

export function MyDetails({ user }: { user: UserDetail }) {
  const { data } = useOwnDashboard();
  return (
    <Card title={t`My details`}>
      <Facts
        items={[
          { name: t`Name`, value: user.DisplayName },
          { name: t`E-mail`, value: <Address of={user.Email} /> },
          { name: t`Role`, value: <RoleBadge isAdmin={user.IsAdmin} /> },
          { name: t`Member since`, value: data ? formatDay(data.joinedAt, 'long') : '…' },
        ]}
      />
    </Card>
  );
}

export function MySignIns() {
  const query = useOwnDashboard();
  return (
    <Card title={t`My latest sign-ins`}>
      <Loading query={query} title={t`Your sign-ins could not be loaded`} lines={4} />
      {query.data && (
        <RecordList
          empty={t`None yet.`}
          entries={query.data.signIns.map((signIn) => ({
            id: signIn.id,
            text: <Moment at={signIn.at} />,
            detail: signInText(signIn),
          }))}
        />
      )}
    </Card>
  );
}

export function LatestFiles() {
  const query = useApiQuery(listAttachments, {
    key: ['dashboard', 'files'],
    query: latestFilesParameters,
    // Prevents a second request when the cards are remounted with the figures. Short, so that new uploads appear after a return.
    staleTime: 1_000,
  });
  return (
    <Card title={t`Latest attachments`} actions={<Link to="/attachment">{t`All attachments`}</Link>}>
      <Loading query={query} title={t`The attachments could not be loaded`} lines={4} />
      {query.data?.rows.length === 0 && (
        <p className="quiet">
          <Trans>
            No files yet. <Link to="/attachment">Upload your first one</Link>; files shared with you appear
            here too.
          </Trans>
        </p>
      )}
      {query.data && (
        <RecordList
          entries={query.data.rows.map(({ id, name, ownerName, size, createdAt }) => ({
            id,
            text: (
              <Link to="/attachment" search={{ file: id }}>
                {name}
              </Link>
            ),
            detail: (
              <DotSeparated facts={[ownerName, formatSize(size), <Moment key="at" at={createdAt} />]} />
            ),
          }))}
        />
      )}
    </Card>
  );
}
