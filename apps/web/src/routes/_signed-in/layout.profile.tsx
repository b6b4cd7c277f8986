/** `/layout/profile`: what somebody sees of themselves and decides for themselves; reached from their menu. */
import { msg, t } from '@lingui/core/macro';
import { IconUser } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { MyPasskeys } from '../../features/passkeys/my-passkeys.tsx';
import { ProfileScreen } from '../../features/profile/profile-screen.tsx';
import { SessionsCard } from '../../features/sessions/sessions-card.tsx';
import { Card } from '../../ui/shell/page.tsx';

export const Route = createFileRoute('/_signed-in/layout/profile')({
  staticData: { menu: { label: msg`Profile`, order: 9, icon: IconUser, isPersonal: true } },
  component: Profile,
});

function Profile() {
  const { session } = Route.useRouteContext();
  const hasPasskeys = session.configuration.Ways.some(({ kind }) => kind === 'passkeys');
  return (
    <ProfileScreen
      hasPasskeys={hasPasskeys}
      sessions={
        !session.isB2cOnly() && (
          <>
            {hasPasskeys && (
              <Card title={t`Ways to sign in`}>
                <MyPasskeys />
              </Card>
            )}
            <SessionsCard title={t`Where I am signed in`} personId={null} />
          </>
        )
      }
    />
  );
}
