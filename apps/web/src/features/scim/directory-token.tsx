/** Facts, buttons and dialogs of a directory token, for the site and for organizations. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import type { Directory } from '@vestibule/contract/directory';
import { formatNumber } from '../../language/formats.ts';
import { Button } from '../../ui/button.tsx';
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
  const { dialog, open, close, ask } = useDialog();
  const change = async (request: () => Promise<Of>) => queryClient.setQueryData(queryKey, await request());
  const createToken = () =>
    change(async () => {
      const { token, directory } = await requestToken();
      open(() => (
        <SecretDialog title={t`Directory token`} secret={token} onClose={close}>
          {t`Paste it into the directory, together with the address. It will not be shown again.`}
        </SecretDialog>
      ));
      return directory;
    });
  const replaceToken = () =>
    ask({
      title: t`New token for the directory`,
      confirm: t`Create a new token`,
      text: t`The previous token works for 24 more hours, so nothing is missed. Enter the new one in the directory before then.`,
      act: createToken,
    });
  const buttons = ({ address, token }: Shown) => (
    <>
      <Button
        onClick={() => copyText(address, t`The address is on your clipboard.`)}
      >{t`Copy address`}</Button>
      <Button onClick={token ? replaceToken : () => runWithErrorToast(createToken)}>
        {token ? t`New token` : t`Create a token`}
      </Button>
    </>
  );
  return { dialog, ask, change, buttons };
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

export const directoryFacts = ({ address, token, lastUsedAt, lastAddress, users }: Shown) => [
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
