import { t } from '@lingui/core/macro';
import { IconMail } from '@tabler/icons-react';
import { listInvitations } from '@vestibule/contract/invitations';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import type { Finder } from '../../lib/finder.ts';

const fetchPage = fetchPageFrom(listInvitations);

export default function invitationsFinder(): Finder {
  return {
    title: t`Invitations`,
    icon: IconMail,
    order: 2,
    async search(search, signal) {
      const { rows } = await fetchPage({ offset: 0, limit: 5, search }, signal);
      return rows.map(({ id, email, name }) => ({
        id: `invitation-${id}`,
        label: email,
        detail: name || undefined,
        target: { to: '/layout/invitations', search: { show: id } },
      }));
    },
  };
}
