import { plural, t } from '@lingui/core/macro';
import type { NamedAccess, SetupStep } from '@vestibule/contract/applications';
import type { BadgeTone } from '../../ui/marks/badge-tone.ts';
import { roleName } from '../../lib/role-name.ts';

export const countOf = (count: number) => plural(count, { one: '# application', other: '# applications' });

export const siteRoles = (): Record<'member' | 'admin', string> => ({
  member: t`Members of this site`,
  admin: t`Administrators of this site`,
});

/** Users of an entry, such as "Acme: Manager". */
export function describeAccess(entry: NamedAccess): string {
  switch (entry.kind) {
    case 'everyone':
      return t`Everyone`;
    case 'siteRole':
      return siteRoles()[entry.role ?? 'admin'];
    case 'organization': {
      const organization = entry.organizationId === null ? t`All organizations` : entry.organizationName;
      if (entry.roleId === null) return organization ?? '';
      return t`${organization ?? ''}: ${roleName(entry.roleId, entry.roleName)}`;
    }
    case 'group':
      return t`Group ${entry.groupName ?? ''}`;
    case 'person':
      return entry.personName || (entry.personEmail ?? '');
  }
}

export const describeAll = (access: readonly NamedAccess[]): string =>
  access.length === 0 ? t`No users` : access.map(describeAccess).join(', ');

export const hostOf = ({ address }: { address: string }): string => new URL(address).host;

export const setupSteps = (): Record<SetupStep, string> => ({
  reachable: t`The address answers`,
  path: t`The proxy forwards /.vestibule/ to this site`,
  proxy: t`This site trusts the headers of the proxy`,
  protection: t`Requests without a sign-in do not reach the application`,
  headers: t`The proxy removes identity headers of browsers`,
  clock: t`The clocks of the proxy and of this site agree`,
  signIn: t`Users can sign in to applications`,
});

export const setupStates = (): Record<'ok' | 'failed' | 'unknown', { label: string; tone: BadgeTone }> => ({
  ok: { label: t`Passed`, tone: 'success' },
  failed: { label: t`Failed`, tone: 'danger' },
  unknown: { label: t`Not checked`, tone: 'neutral' },
});
