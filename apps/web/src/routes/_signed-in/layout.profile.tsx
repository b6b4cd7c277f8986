/** `/layout/profile`: the user's own data and settings; opened from the user menu. */
import { msg, t } from '@lingui/core/macro';
import { IconUser } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { MyOrganizationsCard } from '../../features/organizations/my-organizations-card.tsx';
import { MyPasskeys } from '../../features/passkeys/my-passkeys.tsx';
import { ProfileScreen } from '../../features/profile/profile-screen.tsx';
import { SessionsCard } from '../../features/sessions/sessions-card.tsx';
import { SignInMethodsCard } from '../../features/sign-in-methods/sign-in-methods-card.tsx';

export const Route = createFileRoute('/_signed-in/layout/profile')({
  staticData: { menu: { label: msg`Profile`, order: 9, icon: IconUser, isPersonal: true } },
  component: Profile,
});

function Profile() {
  const { session } = Route.useRouteContext();
  const { Ways } = session.configuration;
  const hasPasskeys = Ways.some(({ kind }) => kind === 'passkeys');
  return (
    <ProfileScreen
      hasPasskeys={hasPasskeys}
      organizations={session.configuration.HasOrganizations && <MyOrganizationsCard />}
      access={
        !session.isB2cOnly() && (
          <>
            <SignInMethodsCard
              methods={Ways.filter(({ kind }) => kind === 'oidc')}
              redirectTo={session.navigateTo}
              more={hasPasskeys && <MyPasskeys />}
            />
            <SessionsCard title={t`Where I am signed in`} personId={null} />
          </>
        )
      }
    />
  );
}
