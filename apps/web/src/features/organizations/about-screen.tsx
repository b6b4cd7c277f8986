/** `/layout/organization/…/about`: role and permissions of the user, seats and expiry, the managers to ask, and the logo. */
import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { getOrganization } from '@vestibule/contract/organizations';
import { changeOrganizationLogo } from '@vestibule/contract/organizations/logo';
import { logoMaximumBytes } from '@vestibule/contract/settings';
import { formatSize } from '../../language/formats.ts';
import type { ActiveOrganization } from '../../lib/active-organization.ts';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { CardRow, Facts } from '../../ui/facts.tsx';
import { PictureField } from '../../ui/fields/picture-field.tsx';
import { Card, Page } from '../../ui/shell/page.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { ManagerList } from './manager-list.tsx';
import { useOrganization } from './organization-frame.tsx';
import { roleName } from '../../lib/role-name.ts';
import { permissionLabel } from './permission-label.ts';
import './organizations.css';

export function AboutScreen() {
  const organization = useOrganization();
  const { organizationId, name, slug, logo, roleId, roleName: ownName, managers, permissions } = organization;
  const { data } = useApiQuery(getOrganization, {
    key: ['organization', organizationId],
    params: { organizationId },
  });
  const { memberCount = 0, seatLimit, expiresAt } = data ?? {};
  const mayChange = permissions.includes('organization.write');
  return (
    <Page title={t`About`}>
      <CardRow>
        <Card title={t`Organization`}>
          <div className="stack">
            {logo && !mayChange && (
              <img className="organization-picture" src={logo.path} alt={t`Logo of ${name}`} />
            )}
            <Facts
              items={[
                { name: t`Name`, value: name },
                { name: t`Short name`, value: slug },
                ...(seatLimit ? [{ name: t`Seats`, value: t`${memberCount} of ${seatLimit} taken` }] : []),
                ...(expiresAt ? [{ name: t`Expires`, value: <Moment at={expiresAt} ends /> }] : []),
                {
                  name: t`Your role`,
                  value:
                    roleId === null ? t`Administrator of this site, no member` : roleName(roleId, ownName),
                },
                {
                  name: t`Your permissions`,
                  value: (
                    <ul className="organization-permissions">
                      {permissions.map((permission) => (
                        <li key={permission}>{permissionLabel({ name: permission, label: permission })}</li>
                      ))}
                    </ul>
                  ),
                },
              ]}
            />
            {mayChange && <LogoField organization={organization} />}
          </div>
        </Card>
        <Card title={t`Managers`}>
          <ManagerList managers={managers} />
        </Card>
      </CardRow>
    </Page>
  );
}

function LogoField({ organization: { organizationId, name, logo } }: { organization: ActiveOrganization }) {
  const router = useRouter();
  const queries = useQueryClient();
  const maximum = formatSize(logoMaximumBytes);

  const change = async (picture: string | null) => {
    await call(changeOrganizationLogo, { params: { organizationId }, body: { picture } });
    toast.success(picture ? t`Logo changed.` : t`Logo removed.`);
    await Promise.all([router.invalidate(), queries.invalidateQueries({ queryKey: ['my organizations'] })]);
  };

  return (
    <PictureField
      label={t`Logo`}
      note={t`PNG, JPEG or WebP, at most ${maximum}. Shown to members and in invitations; some e-mail programs do not show WebP.`}
      pictureLabel={t`Logo of ${name}`}
      picture={logo?.path ?? null}
      maximumBytes={logoMaximumBytes}
      onChange={change}
    />
  );
}
