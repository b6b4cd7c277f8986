/** `/layout/organization/…/about`: role of the user, and the managers to ask. */
import { t } from '@lingui/core/macro';
import type { ActiveOrganization } from '../../lib/active-organization.ts';
import { CardRow, Facts } from '../../ui/facts.tsx';
import { Card, Page } from '../../ui/shell/page.tsx';
import { ManagerList } from './manager-list.tsx';
import { roleName } from './organization-texts.ts';

export function AboutScreen({ organization }: { organization: ActiveOrganization }) {
  const { name, slug, roleId, roleName: ownName, managers } = organization;
  return (
    <Page title={t`About`}>
      <CardRow>
        <Card title={t`Organization`}>
          <Facts
            items={[
              { name: t`Name`, value: name },
              { name: t`Short name`, value: slug },
              {
                name: t`Your role`,
                value: roleId === null ? t`Administrator of this site, no member` : roleName(roleId, ownName),
              },
            ]}
          />
        </Card>
        <Card title={t`Managers`}>
          <ManagerList managers={managers} />
        </Card>
      </CardRow>
    </Page>
  );
}
