/** Settings, what weakens this installation and what mends it. There only while something does. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { listWeaknesses } from '@vestibule/contract/settings/weaknesses';
import { tell } from '../../language/tell.ts';
import { call } from '../../lib/call.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/shell/page.tsx';

export function WeaknessesSection() {
  const { data } = useQuery({
    queryKey: ['settings', 'weaknesses'],
    queryFn: ({ signal }) => call(listWeaknesses, { signal }),
  });
  if (!data || data.weaknesses.length === 0) return null;
  return (
    <Card title={t`Safety`}>
      <p className="settings-muted">
        <Trans>What weakens this installation. For whoever runs the server.</Trans>
      </p>
      <ul className="findings" aria-label={t`What was found`}>
        {data.weaknesses.map((weakness) => (
          <li className="finding" key={weakness.code}>
            <Badge tone="warning">{t`Check this`}</Badge>
            <p>{tell(weakness)}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}
