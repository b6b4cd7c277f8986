/** Grid filters for the lists behind the dashboard's figures. */
import type { PeriodCount, DashboardFigures } from '@vestibule/contract/dashboard';
import type { GridFilter } from '../../ui/grid/grid-query.ts';

const oneOf = (column: string, ...values: string[]): GridFilter => ({ column, is: 'oneOf', values });
const filled = (column: string): GridFilter => ({ column, is: 'filled' });
const open = oneOf('status', 'pending', 'opened');

export const activeFilters: GridFilter[] = [oneOf('status', 'active')];
export const openFilters: GridFilter[] = [open];
export const failedFilters: GridFilter[] = [open, oneOf('mailState', 'failed')];

export const expiringFilters = (soonUntil: string): GridFilter[] => [
  open,
  { column: 'expiresAt', is: 'between', to: soonUntil },
];

const stageFilters: Record<keyof DashboardFigures['funnel'], GridFilter[]> = {
  created: [],
  mailed: [filled('mailedAt')],
  opened: [filled('openedAt')],
  redeemed: [oneOf('status', 'redeemed')],
};

export const funnelFilters = (stage: keyof DashboardFigures['funnel'], from: string): GridFilter[] => [
  { column: 'createdAt', is: 'between', from },
  ...stageFilters[stage],
];

/** There is no list of sign-ins: lists the people whose last sign-in was in that period. */
export const signInFilters = ({ from, to }: PeriodCount): GridFilter[] => [
  { column: 'lastSignInAt', is: 'between', from, to },
];
