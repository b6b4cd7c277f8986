import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Passkey } from '@vestibule/contract/sign-in/passkeys';
import { Moment } from '../../ui/time/moment.tsx';

export function passkeyEntry({ id, name, createdAt, lastUsedAt, isSynced, works }: Passkey) {
  const where = isSynced ? t`On all devices of that account` : t`On one device only`;
  const made = (
    <Trans>
      created <Moment at={createdAt} />
    </Trans>
  );
  const used =
    lastUsedAt === null ? (
      t`never used`
    ) : (
      <Trans>
        last used <Moment at={lastUsedAt} />
      </Trans>
    );
  return {
    id,
    text: name,
    detail: (
      <>
        {where}; {made}, {used}.
        {!works && ` ${t`Created at another address of this site: it does not work here.`}`}
      </>
    ),
  };
}
