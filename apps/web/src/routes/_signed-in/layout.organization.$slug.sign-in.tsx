import { msg } from '@lingui/core/macro';
import { createFileRoute } from '@tanstack/react-router';
import { ConnectionScreen } from '../../features/organizations/connection-screen.tsx';

export const Route = createFileRoute('/_signed-in/layout/organization/$slug/sign-in')({
  staticData: {
    organizationTab: {
      label: msg`Single sign-on`,
      order: 3,
      permission: 'connection.write',
      isOffered: ({ singleSignOn }) => singleSignOn === true,
    },
  },
  component: ConnectionScreen,
});
