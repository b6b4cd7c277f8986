/** Groups and counts of reviewed rows. */
import { t } from '@lingui/core/macro';
import type { RowVerdict } from '@vestibule/contract/invitations/batches';
import type { DraftRow, InviteDraft } from '../invite-draft.ts';

/** A verdict, or `out` for removed rows. */
export type Group = RowVerdict | 'out';

/** Groups in the order of their importance. */
export const rowGroups = (): readonly { group: Group; title: string }[] => [
  { group: 'invalid', title: t`Invalid` },
  { group: 'domain_not_allowed', title: t`Domain not allowed` },
  { group: 'look_alike', title: t`Similar to another address` },
  { group: 'doubtful_domain', title: t`Check the domain` },
  { group: 'duplicate', title: t`Duplicates` },
  { group: 'invited', title: t`Already invited` },
  { group: 'member', title: t`Already a member` },
  { group: 'new', title: t`New` },
  { group: 'out', title: t`Removed` },
];

export const problemGroups: ReadonlySet<Group> = new Set<Group>([
  'invalid',
  'domain_not_allowed',
  'look_alike',
  'duplicate',
]);

export const groupOf = (row: DraftRow): Group => (row.out ? 'out' : (row.check?.verdict ?? 'new'));

/** Counts the rows that will be invited, resent and skipped. */
export function countOutcome({
  rows,
  sendAgain,
  inviteLookAlikes,
}: Pick<InviteDraft, 'rows' | 'sendAgain' | 'inviteLookAlikes'>): {
  invited: number;
  sentAgain: number;
  skipped: number;
} {
  const count = (group: Group) => rows.filter((row) => groupOf(row) === group).length;
  const invited = count('new') + count('doubtful_domain') + (inviteLookAlikes ? count('look_alike') : 0);
  const sentAgain = sendAgain ? count('invited') : 0;
  return { invited, sentAgain, skipped: rows.length - invited - sentAgain };
}
