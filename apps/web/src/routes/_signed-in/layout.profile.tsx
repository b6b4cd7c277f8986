/** `/layout/profile`: what somebody sees of themselves and decides for themselves; reached from their menu. */
import { msg, t } from '@lingui/core/macro';
import { IconUser } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { ProfileScreen } from '../../features/profile/profile-screen.tsx';
import { SessionsCard } from '../../features/sessions/sessions-card.tsx';

export const Route = createFileRoute('/_signed-in/layout/profile')({
  staticData: { menu: { label: msg`Profile`, order: 9, icon: IconUser, isPersonal: true } },
  component: Profile,
});

function Profile() {
  const { session } = Route.useRouteContext();
  return (
    <ProfileScreen
      sessions={!session.isB2cOnly() && <SessionsCard title={t`Where I am signed in`} personId={null} />}
    />
  );
}
