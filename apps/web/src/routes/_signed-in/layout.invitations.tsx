/** `/layout/invitations`: all invitations (administrators only). */
import { msg } from '@lingui/core/macro';
import { IconMail } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { InvitationsScreen } from '../../features/invitations/invitations-screen.tsx';
import { isId } from '../../lib/is-id.ts';
import { loadGrid } from '../../ui/grid/load-grid.ts';
import { readGridAddress, type GridAddress } from '../../ui/grid/grid-query.ts';

/** `show` opens the side panel, `batch` filters by import, `invite` opens the dialog. */
type Search = GridAddress & {
  show?: string | undefined;
  batch?: string | undefined;
  invite?: true | undefined;
};

export const Route = createFileRoute('/_signed-in/layout/invitations')({
  staticData: {
    access: 'admin',
    menu: { label: msg`Invitations`, order: 2, icon: IconMail },
    finder: () => import('../../features/invitations/invitations-finder.tsx'),
    actions: [{ label: msg`Invite someone`, words: msg`new people add`, search: { invite: true } }],
  },
  validateSearch: ({ show, batch, invite, ...search }): Search => ({
    show: isId(show) ? show : undefined,
    batch: isId(batch) ? batch : undefined,
    invite: invite === true || undefined,
    ...readGridAddress(search),
  }),
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: InvitationsScreen,
});
