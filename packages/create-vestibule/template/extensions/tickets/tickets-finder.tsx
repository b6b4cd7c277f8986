/** Search results of the command palette: the tickets that the user opened. */
import { t } from '@lingui/core/macro';
import { IconTicket } from '@tabler/icons-react';
import { call, matchesWords, type Finder } from '@vestibule/web/screens';
import { listMyTickets } from './contract.ts';

export default function ticketsFinder(): Finder {
  return {
    title: t`My tickets`,
    icon: IconTicket,
    order: 0.5,
    async search(text, signal) {
      const { rows } = await call(listMyTickets, { signal });
      return rows
        .filter(({ subject }) => matchesWords(text, subject))
        .map(({ id, subject, organization }) => ({
          id: `ticket-${id}`,
          label: subject,
          detail: organization.name,
          target: { to: `/layout/organization/${organization.slug}/tickets/${id}` },
        }));
    },
  };
}
