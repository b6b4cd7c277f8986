/** SCIM of an organization: address, token and last request. */
import { t } from '@lingui/core/macro';
import {
  createOrganizationDirectoryToken,
  getOrganizationDirectory,
  revokeOrganizationDirectoryToken,
} from '@vestibule/contract/organizations/directory';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { Loading } from '../../ui/states.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { directoryFacts, useDirectoryChanges } from './directory-token.tsx';

export function OrganizationScimCard({ organizationId }: { organizationId: string }) {
  const queryKey = ['directory', organizationId];
  const params = { organizationId };
  const directory = useApiQuery(getOrganizationDirectory, { key: queryKey, params, changesOf: 'directory' });
  const { dialog, ask, change, buttons } = useDirectoryChanges(queryKey, () =>
    call(createOrganizationDirectoryToken, { params }),
  );
  const revokeToken = () =>
    change(async () => {
      const revoked = await call(revokeOrganizationDirectoryToken, { params });
      toast.success(t`The token is revoked. The next request of the directory will be refused.`);
      return revoked;
    });
  const confirmRevocation = () =>
    ask({
      title: t`Revoke the token of the directory`,
      confirm: t`Revoke token`,
      danger: true,
      text: t`The directory is refused from its next request on. Members stay members, also those who leave the company in the meantime.`,
      act: revokeToken,
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
              {buttons(data)}
              {data.token && <Button onClick={confirmRevocation}>{t`Revoke token`}</Button>}
            </div>
          </>
        )}
      </div>
      {dialog}
    </Card>
  );
}
