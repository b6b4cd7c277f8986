/** `/layout/settings`: the site's configuration (administrators only). */
import { msg } from '@lingui/core/macro';
import { IconSettings } from '@tabler/icons-react';
import { createFileRoute, redirect } from '@tanstack/react-router';
import { SettingsScreen } from '../../features/settings/settings-screen.tsx';

export const Route = createFileRoute('/_signed-in/layout/settings')({
  staticData: {
    access: 'admin',
    menu: { label: msg`Settings`, order: 6, icon: IconSettings },
    finder: () => import('../../features/settings/settings-finder.ts'),
  },
  beforeLoad({ location }) {
    if (/^\/layout\/settings\/?$/.test(location.pathname))
      throw redirect({ to: '/layout/settings/$section', params: { section: 'site' }, replace: true });
  },
  component: SettingsScreen,
});
