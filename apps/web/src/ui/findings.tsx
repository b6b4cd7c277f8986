/** Findings of a check of a provider, and the addresses to register there. */
import { t } from '@lingui/core/macro';
import { formatMessage } from '../language/format-message.ts';
import { Button } from './button.tsx';
import { StateBadge } from './marks/badge.tsx';
import { copyText } from './toast/toast.tsx';
import './findings.css';

type Text = Parameters<typeof formatMessage>[0];

/** `remedy` is the correction, null if nothing has to be corrected. */
type FindingOf = {
  topic: Text;
  outcome: 'ok' | 'warning' | 'failed';
  found: Text;
  expected: Text;
  remedy: Text | null;
};

const outcomes = () =>
  ({
    ok: { label: t`OK`, tone: 'success' },
    warning: { label: t`Check this`, tone: 'warning' },
    failed: { label: t`Wrong`, tone: 'danger' },
  }) as const;

export function FindingList({ findings }: { findings: readonly FindingOf[] }) {
  return (
    <ul aria-label={t`What was found`}>
      {findings.map(({ topic, outcome, remedy, ...rest }) => {
        const [found, expected] = [formatMessage(rest.found), formatMessage(rest.expected)];
        return (
          <li key={topic.message} className="finding">
            <StateBadge of={outcomes()[outcome]} />
            <div>
              <strong>{formatMessage(topic)}</strong>
              <p>{t`Found: ${found}`}</p>
              {remedy && (
                <>
                  <p>{t`Expected: ${expected}`}</p>
                  <p className="finding-remedy">{formatMessage(remedy)}</p>
                </>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

export function AddressList({ items }: { items: readonly { label: string; address: string }[] }) {
  return (
    <ul className="addresses">
      {items.map(({ label, address }) => (
        <li key={label}>
          <span>{label}</span>
          <code>{address}</code>
          <Button
            size="small"
            onClick={() =>
              copyText(address, t`The address is on your clipboard.`, t`The address to register:`)
            }
            aria-label={t`Copy ${address}`}
          >
            {t`Copy`}
          </Button>
        </li>
      ))}
    </ul>
  );
}
