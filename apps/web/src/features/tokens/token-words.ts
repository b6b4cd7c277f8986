/** How access tokens and what they may do are spoken of. */
import type { PersonalToken, Scope } from '@vestibule/contract/tokens';

export const scopes: Record<Scope, { label: string; description: string }> = {
  'invitations:read': {
    label: 'Read invitations',
    description: 'List them, follow them, and check a list before it is sent.',
  },
  'invitations:write': {
    label: 'Invite',
    description: 'Invite, send again, renew and revoke, also administrators; read invitation links.',
  },
  'people:read': { label: 'Read people', description: 'List them, with their timelines and sign-ins.' },
  'people:write': {
    label: 'Change people',
    description: 'Change roles, disable, enable and remove.',
  },
  'activity:read': { label: 'Read the activity log', description: 'Read, export and verify it.' },
};

export const states: Record<
  PersonalToken['state'],
  { label: string; tone: 'success' | 'neutral' | 'danger' }
> = {
  active: { label: 'Works', tone: 'success' },
  expired: { label: 'Over', tone: 'neutral' },
  revoked: { label: 'Revoked', tone: 'danger' },
};

export const lifetimes = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
];
