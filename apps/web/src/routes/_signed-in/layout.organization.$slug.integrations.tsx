/** `/layout/organization/…/integrations`: access tokens, webhooks and directory sync of an organization, by permission (R9). */
import { msg, t } from '@lingui/core/macro';
import { createFileRoute } from '@tanstack/react-router';
import { permissionsWithoutTokens } from '@vestibule/contract/organizations/permissions';
import { useOrganization } from '../../features/organizations/organization-frame.tsx';
import { permissionLabel } from '../../features/organizations/permission-label.ts';
import { OrganizationScimCard } from '../../features/scim/organization-scim-card.tsx';
import { TokensCard } from '../../features/tokens/tokens-card.tsx';
import { WebhooksCard } from '../../features/webhooks/webhooks-card.tsx';
import { Page } from '../../ui/shell/page.tsx';

export const Route = createFileRoute('/_signed-in/layout/organization/$slug/integrations')({
  staticData: {
    organizationTab: {
      label: msg`Integrations`,
      order: 5,
      permission: ['tokens.write', 'webhooks.write', 'directory.write'],
    },
  },
  component: Integrations,
});

function Integrations() {
  const { organizationId, permissions, roleId } = useOrganization();
  return (
    <Page title={t`Integrations`}>
      <div className="stack">
        {permissions.includes('directory.write') && <OrganizationScimCard organizationId={organizationId} />}
        {permissions.includes('tokens.write') && (
          <TokensCard
            organization={{
              organizationId,
              permissions: permissions.filter((name) => !permissionsWithoutTokens.includes(name)),
              labelOf: (name) => permissionLabel({ name, label: name }),
              isMember: roleId !== null,
            }}
          />
        )}
        {permissions.includes('webhooks.write') && <WebhooksCard hasOrganizations />}
      </div>
    </Page>
  );
}
