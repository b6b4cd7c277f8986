/** `/layout/profile`: what somebody sees of themselves and decides for themselves; reached from their menu. */
import { msg } from '@lingui/core/macro';
import { IconUser } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { ProfileScreen } from '../../features/profile/profile-screen.tsx';

export const Route = createFileRoute('/_signed-in/layout/profile')({
  staticData: { menu: { label: msg`Profile`, order: 9, icon: IconUser, isPersonal: true } },
  component: ProfileScreen,
});
