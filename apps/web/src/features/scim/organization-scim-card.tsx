/** SCIM of an organization: address, token and last request. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import {
  createOrganizationDirectoryToken,
  getOrganizationDirectory,
  revokeOrganizationDirectoryToken,
  type OrganizationDirectory,
} from '@vestibule/contract/organizations/directory';
import { useState } from 'react';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { Loading } from '../../ui/states.tsx';
import { copyText, runWithErrorToast, toast } from '../../ui/toast/toast.tsx';
import { DirectoryTokenDialog, directoryFacts, NewTokenDialog } from './directory-token.tsx';

export function OrganizationScimCard({ organizationId }: { organizationId: string }) {
  const queryClient = useQueryClient();
  const queryKey = ['directory', organizationId];
  const params = { organizationId };
  const directory = useApiQuery(getOrganizationDirectory, { key: queryKey, params, changesOf: 'directory' });
  const [openDialog, setOpenDialog] = useState<'token' | 'revoke' | null>(null);
  const [createdToken, setCreatedToken] = useState<string | null>(null);
  const close = () => setOpenDialog(null);
  const changeWithToast = (change: () => Promise<OrganizationDirectory>) =>
    runWithErrorToast(async () => queryClient.setQueryData(queryKey, await change()));
  const createToken = () =>
    changeWithToast(async () => {
      const response = await call(createOrganizationDirectoryToken, { params });
      setCreatedToken(response.token);
      return response.directory;
    });
  const revokeToken = () =>
    changeWithToast(async () => {
      const revoked = await call(revokeOrganizationDirectoryToken, { params });
      toast.success(t`The token is revoked. The next request of the directory will be refused.`);
      return revoked;
    });
  const { data } = directory;

  return (
    <Card title={t`Directory sync (SCIM)`}>
      <div className="stack">
        <p className="card-lead">
          {t`Your directory, such as Entra ID or Okta, adds members to this organization and removes them. It changes nothing else about people.`}
        </p>
        <Loading query={directory} title={t`The directory sync could not be loaded`} lines={4} />
        {data && (
          <>
            <Facts items={directoryFacts(data)} />
            <div className="button-row">
              <Button
                onClick={() => copyText(data.address, t`The address is on your clipboard.`)}
              >{t`Copy address`}</Button>
              <Button onClick={() => (data.token ? setOpenDialog('token') : createToken())}>
                {data.token ? t`New token` : t`Create a token`}
              </Button>
              {data.token && <Button onClick={() => setOpenDialog('revoke')}>{t`Revoke token`}</Button>}
            </div>
          </>
        )}
      </div>
      {openDialog === 'token' && (
        <NewTokenDialog onClose={close} onConfirm={() => createToken().then(close)} />
      )}
      {openDialog === 'revoke' && (
        <ConfirmDialog
          title={t`Revoke the token of the directory`}
          confirm={t`Revoke token`}
          danger
          onClose={close}
          onConfirm={() => revokeToken().then(close)}
        >
          <p>
            <Trans>
              The directory is refused from its next request on. Members stay members, also those who leave
              the company in the meantime.
            </Trans>
          </p>
        </ConfirmDialog>
      )}
      {createdToken !== null && (
        <DirectoryTokenDialog token={createdToken} onClose={() => setCreatedToken(null)} />
      )}
    </Card>
  );
}
