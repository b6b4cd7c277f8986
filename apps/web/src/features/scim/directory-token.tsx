/** Facts, buttons and dialogs of a directory token, for the site and for organizations. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import type { Directory } from '@vestibule/contract/directory';
import { formatNumber } from '../../language/formats.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { SecretDialog } from '../../ui/dialog/secret-dialog.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { DotSeparated } from '../../ui/record-list.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { copyText, runWithErrorToast } from '../../ui/toast/toast.tsx';

type Shown = Pick<Directory, 'address' | 'token' | 'lastUsedAt' | 'lastAddress' | 'users'>;

/** Changes of a directory, its token with buttons, and the open dialog. */
export function useDirectoryChanges<Of extends Shown>(
  queryKey: readonly unknown[],
  requestToken: () => Promise<{ token: string; directory: Of }>,
) {
  const queryClient = useQueryClient();
  const [dialog, openDialog, close] = useDialog();
  const change = (request: () => Promise<Of>) =>
    runWithErrorToast(async () => queryClient.setQueryData(queryKey, await request()));
  const createToken = async () => {
    const isCreated = await change(async () => {
      const { token, directory } = await requestToken();
      openDialog(() => (
        <SecretDialog
          title={t`Directory token`}
          secret={token}
          copy={t`Copy token`}
          copied={t`The token is on your clipboard.`}
          onClose={close}
        >
          {t`Paste it into the directory, together with the address. It will not be shown again.`}
        </SecretDialog>
      ));
      return directory;
    });
    if (!isCreated) close();
  };
  const replaceToken = () =>
    openDialog(() => (
      <ConfirmDialog
        title={t`New token for the directory`}
        confirm={t`Create a new token`}
        onClose={close}
        onConfirm={createToken}
      >
        <p>
          <Trans>
            The previous token works for 24 more hours, so nothing is missed. Enter the new one in the
            directory before then.
          </Trans>
        </p>
      </ConfirmDialog>
    ));
  const buttons = ({ address, token }: Shown) => (
    <>
      <Button
        onClick={() => copyText(address, t`The address is on your clipboard.`)}
      >{t`Copy address`}</Button>
      <Button onClick={token ? replaceToken : createToken}>{token ? t`New token` : t`Create a token`}</Button>
    </>
  );
  return { dialog, openDialog, close, change, buttons };
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

export function directoryFacts({ address, token, lastUsedAt, lastAddress, users }: Shown) {
  return [
    { name: t`Address for the directory`, value: <code>{address}</code> },
    { name: t`Token`, value: token ? <TokenFacts {...token} /> : t`None yet` },
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
