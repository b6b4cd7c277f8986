import { t } from '@lingui/core/macro';
import { listSecurityWarnings } from '@vestibule/contract/settings/security-warnings';
import { formatMessage } from '../../../language/format-message.ts';
import { useApiQuery } from '../../../lib/use-api-query.ts';
import { Badge } from '../../../ui/marks/badge.tsx';
import { Loading } from '../../../ui/states.tsx';

export function SecurityWarningsSection() {
  const weaknesses = useApiQuery(listSecurityWarnings, { key: ['settings', 'weaknesses'] });
  if (!weaknesses.data) return <Loading query={weaknesses} title={t`This could not be checked.`} lines={3} />;
  const { data } = weaknesses;
  if (data.weaknesses.length === 0)
    return (
      <p>
        <Badge tone="success">{t`OK`}</Badge> {t`No weaknesses were found in this installation.`}
      </p>
    );
  return (
    <div className="stack">
      <p className="quiet">{t`Weaknesses of this installation, for the server’s operator.`}</p>
      <ul aria-label={t`What was found`}>
        {data.weaknesses.map((weakness) => (
          <li className="finding" key={weakness.code}>
            <Badge tone="warning">{t`Check this`}</Badge>
            <p>{formatMessage(weakness)}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
