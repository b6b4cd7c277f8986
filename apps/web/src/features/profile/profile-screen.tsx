/** `/layout/profile`: the user's own data and settings. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { getProfile } from '@vestibule/contract/profile';
import { LanguageField } from './language-field.tsx';
import { MyDataCard } from './my-data-card.tsx';
import { SignInsCard } from './sign-ins-card.tsx';
import { formatDay } from '../../language/formats.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { personOrEmail } from '../../lib/person-or-email.ts';
import { CardRow, Facts } from '../../ui/facts.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Card, Page } from '../../ui/shell/page.tsx';
import { PersonCell } from '../../ui/person/person.tsx';
import { RoleBadge } from '../../ui/marks/role-badge.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ThemePicker } from '../../ui/themes/theme-picker.tsx';
import { Address } from '../../ui/person/address.tsx';
import './profile.css';

const route = getRouteApi('/_signed-in/layout/profile');

export function ProfileScreen({
  access,
  hasPasskeys,
}: {
  /** Whether the site has passkeys. With passkeys, the site itself stores the name. */
  hasPasskeys: boolean;
  /** Sign-in methods and sessions; absent if B2C is the only sign-in method. */
  access?: ReactNode;
}) {
  const { user } = route.useRouteContext();
  const profile = useApiQuery(getProfile, { key: ['profile'], refetchOnMount: 'always' });
  const inviter = profile.data ? personOrEmail(profile.data.invitedBy, profile.data.inviter) : null;

  return (
    <Page title={t`Profile`} description={user.Email}>
      <CardRow>
        <Card title={t`My details`}>
          <Facts
            items={[
              { name: t`Name`, value: user.DisplayName },
              { name: t`E-mail`, value: <Address of={user.Email} /> },
              { name: t`Role`, value: <RoleBadge isAdmin={user.IsAdmin} /> },
              { name: t`Member since`, value: profile.data ? formatDay(profile.data.joinedAt, 'long') : '…' },
              ...(inviter ? [{ name: t`Invited by`, value: <PersonCell person={inviter} /> }] : []),
            ]}
          />
          <p className="profile-quiet small-print">
            {hasPasskeys ? (
              t`This is the address you were invited with. You cannot change it or your name here.`
            ) : (
              <Trans>
                Name and password belong to your account at the sign-in service, and the address is the one
                you were invited with. None of these can be changed here.
              </Trans>
            )}
          </p>
        </Card>
        {profile.isPending && (
          <Card title={t`My sign-ins`}>
            <Skeleton lines={4} />
          </Card>
        )}
        {profile.error && <Loading query={profile} title={t`Your sign-ins could not be loaded`} lines={4} />}
        {profile.data && <SignInsCard {...profile.data} onSignedOut={() => profile.refetch()} />}
      </CardRow>
      {access && <CardRow>{access}</CardRow>}
      <Card title={t`Look and language`}>
        <p className="card-lead">
          <Trans>
            Kept for you in every browser.{' '}
            <span className="of-keys">Ctrl+Alt and a digit changes the look anywhere.</span>
          </Trans>
        </p>
        <ThemePicker label={t`Look`} />
        <div className="profile-language">
          <LanguageField />
        </div>
      </Card>
      <MyDataCard />
    </Page>
  );
}
