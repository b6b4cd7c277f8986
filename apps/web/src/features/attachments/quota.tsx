/** The user's quota, shown in the title and checked before uploads. */
import { t } from '@lingui/core/macro';
import { undoMinutes } from '@vestibule/contract/attachments/errors';
import { getUsage } from '@vestibule/contract/attachments';
import type { RouteResult } from '@vestibule/contract/route';
import { formatSize } from '../../language/formats.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import './attachments.css';

export type StorageUsage = RouteResult<typeof getUsage>;

export function useStorageUsage() {
  return useApiQuery(getUsage, { key: ['attachments', 'usage'], staleTime: 0 });
}

/** Used share of the quota at which a warning is shown. */
const warningShare = 0.85;

export function Quota({ usage: { mine } }: { usage: StorageUsage }) {
  const share = mine.quota > 0 ? Math.min(1, mine.used / mine.quota) : 1;
  const isScarce = share >= warningShare;
  return (
    <span className={isScarce ? 'quota quota-scarce' : 'quota'}>
      <span className="quota-bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span>{isScarce ? scarceText(mine) : usedText(mine)}</span>
    </span>
  );
}

type Mine = StorageUsage['mine'];

function usedText({ used, quota }: Mine): string {
  const [taken, all] = [formatSize(used), formatSize(quota)];
  return t`${taken} of ${all} used`;
}

function scarceText(mine: Mine): string {
  const [used, left] = [usedText(mine), formatSize(remainingBytes(mine))];
  const scarceness = t`${used}, ${left} left. Delete files you no longer need to free up space.`;
  return [scarceness, ...deletedText(mine)].join(' ');
}

/** Deleted files use space while they can be restored. */
function deletedText({ deleted }: Mine): string[] {
  if (deleted === 0) return [];
  const [size, minutes] = [formatSize(deleted), undoMinutes];
  return [t`${size} of deleted files are kept for ${minutes} minutes. Then the space is freed.`];
}

const remainingBytes = ({ used, quota }: { used: number; quota: number }) => Math.max(0, quota - used);

/** Returns the files that may be uploaded, and why others may not. The server checks again. */
export function selectWithinQuota(
  files: readonly File[],
  usage: StorageUsage | undefined,
): { files: readonly File[]; problem: string | null } {
  if (!usage) return { files, problem: null };
  const tooLarge = files.filter(({ size }) => size > usage.fileMaximum);
  const rest = files.filter(({ size }) => size <= usage.fileMaximum);
  const needed = rest.reduce((sum, { size }) => sum + size, 0);
  const remaining = remainingBytes(usage.mine);
  const problems = tooLarge.map(({ name, size }) => {
    const [has, may] = [formatSize(size), formatSize(usage.fileMaximum)];
    return t`${name} is too large: ${has}. The limit is ${may}.`;
  });
  if (needed > remaining) {
    const [wanted, free, all] = [formatSize(needed), formatSize(remaining), formatSize(usage.mine.quota)];
    problems.push(
      ...deletedText(usage.mine),
      t`Not enough space: you chose ${wanted}, and ${free} of your ${all} are left. Nothing was uploaded. Delete files you no longer need, or choose fewer.`,
    );
    return { files: [], problem: problems.join(' ') };
  }
  return { files: rest, problem: problems.length > 0 ? problems.join(' ') : null };
}
