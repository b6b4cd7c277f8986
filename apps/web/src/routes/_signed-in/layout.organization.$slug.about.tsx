import { msg } from '@lingui/core/macro';
import { createFileRoute } from '@tanstack/react-router';
import { AboutScreen } from '../../features/organizations/about-screen.tsx';

export const Route = createFileRoute('/_signed-in/layout/organization/$slug/about')({
  staticData: { organizationTab: { label: msg`About`, order: 9 } },
  component: AboutScreen,
});
