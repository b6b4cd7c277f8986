import { plural, t } from '@lingui/core/macro';
import { Link } from '@tanstack/react-router';
import { countOrganizations } from '@vestibule/contract/organizations';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Card } from '../../ui/shell/page.tsx';
import { Loading } from '../../ui/states.tsx';

export function OrganizationsCard() {
  const counts = useApiQuery(countOrganizations, { key: ['organizations', 'counts'] });
  const all = counts.data?.all ?? 0;
  return (
    <Card
      title={t`Organizations`}
      actions={
        <Link to="/layout/organizations" className="button button-secondary button-medium">
          {t`Open organizations`}
        </Link>
      }
    >
      <p className="card-lead">
        {t`Group people by customer, partner or department. Managers of an organization change its members themselves.`}
      </p>
      <Loading query={counts} title={t`The organizations could not be counted`} lines={1} />
      {counts.data && (
        <p>
          {all === 0
            ? t`There are none yet. Without an organization, nothing changes for anyone.`
            : plural(all, { one: '# organization', other: '# organizations' })}
        </p>
      )}
    </Card>
  );
}
