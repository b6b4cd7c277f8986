/** How passkeys are spoken of. */
import { t } from '@lingui/core/macro';
import type { Passkey } from '@vestibule/contract/sign-in/passkeys';
import { formatDay, formatMoment } from '../../language/formats.ts';

/** A passkey as a line of a list. */
export function passkeyEntry({ id, name, createdAt, lastUsedAt, isSynced, works }: Passkey) {
  const where = isSynced ? t`On all devices of that account` : t`On one device only`;
  const made = t`made ${formatDay(createdAt)}`;
  const used = lastUsedAt === null ? t`never used` : t`last used ${formatMoment(lastUsedAt)}`;
  return {
    id,
    text: name,
    detail: `${where}; ${made}, ${used}.${works ? '' : ` ${t`Made at another address of this site: it does not work here.`}`}`,
  };
}
