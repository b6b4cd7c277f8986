/** Facts and dialogs of a directory token, for the site and for organizations. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Directory } from '@vestibule/contract/directory';
import { formatNumber } from '../../language/formats.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { SecretDialog } from '../../ui/dialog/secret-dialog.tsx';
import { DotSeparated } from '../../ui/record-list.tsx';
import { Moment } from '../../ui/time/moment.tsx';

export function NewTokenDialog(dialog: { onClose: () => void; onConfirm: () => Promise<void> }) {
  return (
    <ConfirmDialog title={t`New token for the directory`} confirm={t`Create a new token`} {...dialog}>
      <p>
        <Trans>
          The previous token works for 24 more hours, so nothing is missed. Enter the new one in the directory
          before then.
        </Trans>
      </p>
    </ConfirmDialog>
  );
}

export function DirectoryTokenDialog({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <SecretDialog
      title={t`Directory token`}
      secret={token}
      copy={t`Copy token`}
      copied={t`The token is on your clipboard.`}
      onClose={onClose}
    >
      {t`Paste it into the directory, together with the address. It will not be shown again.`}
    </SecretDialog>
  );
}

function TokenFacts({ madeAt, madeBy, earlierUntil }: NonNullable<Directory['token']>) {
  const facts = [
    <Trans key="made">
      Created <Moment at={madeAt} /> by {madeBy}
    </Trans>,
    earlierUntil && (
      <Trans key="earlier">
        the previous one ends <Moment at={earlierUntil} ends />
      </Trans>
    ),
  ];
  return <DotSeparated facts={facts} />;
}

export function directoryFacts({
  address,
  token,
  lastUsedAt,
  lastAddress,
  users,
}: Pick<Directory, 'address' | 'token' | 'lastUsedAt' | 'lastAddress' | 'users'>) {
  return [
    { name: t`Address for the directory`, value: <code>{address}</code> },
    {
      name: t`Token`,
      value: token ? <TokenFacts {...token} /> : t`None yet`,
    },
    {
      name: t`Last request`,
      value: lastUsedAt ? (
        <Trans>
          <Moment at={lastUsedAt} /> from {lastAddress ?? t`an unknown address`}
        </Trans>
      ) : (
        t`Never`
      ),
    },
    { name: t`People in the directory`, value: formatNumber(users) },
  ];
}
