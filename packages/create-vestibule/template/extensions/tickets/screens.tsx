/** Tickets in the browser: a menu entry with search results, a tab of the organization, a card, a column and labels of the activity log. */
import { msg } from '@lingui/core/macro';
import { IconTicket } from '@tabler/icons-react';
import { call, defineScreens, formatNumber } from '@vestibule/web/screens';

export default defineScreens({
  name: 'tickets',
  screens: [
    {
      path: 'tickets',
      menu: { label: msg`My tickets`, order: 1.5, icon: IconTicket },
      permission: 'tickets.read',
      load: () => import('./my-tickets-screen.tsx'),
      finder: async () => ({ default: (await import('./my-tickets-screen.tsx')).ticketsFinder }),
    },
  ],
  organizationScreens: [
    {
      path: 'tickets',
      tab: { label: msg`Tickets`, order: 0.5 },
      permission: 'tickets.read',
      load: () => import('./tickets-screen.tsx'),
    },
    {
      path: 'tickets/$ticketId',
      permission: 'tickets.read',
      load: () => import('./ticket-screen.tsx'),
    },
  ],
  dashboardCards: [{ id: 'open', permission: 'tickets.read', load: () => import('./open-tickets-card.tsx') }],
  columns: [
    {
      list: 'organizations',
      id: 'open',
      label: msg`Open tickets`,
      load: async (ids, signal) => {
        const { countOpenTickets } = await import('./contract.ts');
        const { counts } = await call(countOpenTickets, { body: { organizationIds: [...ids] }, signal });
        return Object.fromEntries(Object.entries(counts).map(([id, count]) => [id, formatNumber(count)]));
      },
    },
  ],
  activityTexts: {
    'ticket.created': msg`Opened the ticket`,
    'ticket.closed': msg`Closed the ticket`,
  },
});
