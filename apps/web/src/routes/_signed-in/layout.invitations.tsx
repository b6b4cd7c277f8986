/** `/layout/invitations`: all invitations (administrators only). */
import { msg } from '@lingui/core/macro';
import { IconMail } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { readInvitationsAddress } from '../../features/invitations/invitations-address.ts';
import { InvitationsScreen } from '../../features/invitations/invitations-screen.tsx';
import { loadGrid } from '../../ui/grid/load-grid.ts';

export const Route = createFileRoute('/_signed-in/layout/invitations')({
  staticData: {
    access: 'admin',
    menu: { label: msg`Invitations`, order: 2, icon: IconMail },
    finder: () => import('../../features/invitations/invitations-finder.tsx'),
    actions: [{ label: msg`Invite someone`, words: msg`new people add`, search: { invite: true } }],
  },
  validateSearch: readInvitationsAddress,
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: () => <InvitationsScreen />,
});
