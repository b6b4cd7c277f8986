/** `/layout/settings/…`: one section of the settings (administrators only). */
import { createFileRoute } from '@tanstack/react-router';
import { ScimCard } from '../../features/scim/scim-card.tsx';
import { SectionScreen } from '../../features/settings/section-screen.tsx';
import { TokensCard } from '../../features/tokens/tokens-card.tsx';
import { OrganizationsCard } from '../../features/organizations/organizations-card.tsx';
import { RolesCard } from '../../features/organizations/roles-card.tsx';
import { WebhooksCard } from '../../features/webhooks/webhooks-card.tsx';

/** `setting` is the field to focus. */
type Search = { setting?: string | undefined };

export const Route = createFileRoute('/_signed-in/layout/settings/$section')({
  staticData: { access: 'admin' },
  validateSearch: ({ setting }): Search => ({ setting: typeof setting === 'string' ? setting : undefined }),
  component: Section,
});

function Section() {
  const { session } = Route.useRouteContext();
  return (
    <SectionScreen
      more={{
        directory: <ScimCard />,
        tokens: <TokensCard />,
        webhooks: <WebhooksCard hasOrganizations={session.configuration.HasOrganizations} />,
        organizations: (
          <div className="stack">
            <OrganizationsCard />
            {session.configuration.HasOrganizations && <RolesCard />}
          </div>
        ),
      }}
    />
  );
}
