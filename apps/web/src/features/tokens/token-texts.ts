import { t } from '@lingui/core/macro';
import type { PersonalToken, Scope, TokenScope } from '@vestibule/contract/profile/tokens';
import { tokenMaximumDays } from '@vestibule/contract/rules/limits';
import type { BadgeTone } from '../../ui/marks/badge-tone.ts';

export const scopes = (): Record<Scope, { label: string; description: string }> => ({
  'invitations:read': {
    label: t`Read invitations`,
    description: t`List them, follow them, and check a list before it is sent.`,
  },
  'invitations:write': {
    label: t`Invite`,
    description: t`Invite, resend, renew and revoke; read invitation links.`,
  },
  'people:read': { label: t`Read people`, description: t`List them, with their timelines and sign-ins.` },
  'people:write': { label: t`Change people`, description: t`Change roles, disable, enable and remove.` },
  'administrators:write': {
    label: t`Appoint administrators`,
    description: t`In addition to another permission. If the token leaks, it can take over the site.`,
  },
  'activity:read': { label: t`Read the activity log`, description: t`Read, export and verify it.` },
});

/** The organization whose tokens are shown. */
export type TokenOrganization = {
  organizationId: string;
  /** Permissions that the user can give to a token. */
  permissions: readonly string[];
  labelOf: (permission: string) => string;
  /** Only members create tokens, not administrators of the site. */
  isMember: boolean;
};

export const scopeLabel = (scope: TokenScope): string =>
  (scopes() as Record<string, { label: string }>)[scope]?.label ?? t`Open one application`;

export const states = (): Record<PersonalToken['state'], { label: string; tone: BadgeTone }> => ({
  active: { label: t`Active`, tone: 'success' },
  suspended: { label: t`Owner has no access`, tone: 'warning' },
  expired: { label: t`Expired`, tone: 'neutral' },
  revoked: { label: t`Revoked`, tone: 'danger' },
});

export const lifetimes = () => [
  { value: '7', label: t`7 days` },
  { value: '30', label: t`30 days` },
  { value: '90', label: t`90 days` },
  { value: `${tokenMaximumDays}`, label: t`1 year` },
];
