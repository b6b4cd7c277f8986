/** Settings, "Sign-in provider check": asks the server to look, and shows what it found in words. */
import { checkProvider, type ProviderFinding, type Settings } from '@vestibule/contract/settings';
import type { RouteResult } from '@vestibule/contract/route';
import { useState } from 'react';
import { describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Card } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';

const outcomes = {
  ok: { label: 'Right', tone: 'success' },
  warning: { label: 'Look at it', tone: 'warning' },
  failed: { label: 'Wrong', tone: 'danger' },
} as const;

const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

export function ProviderSection({ settings }: { settings: Settings }) {
  const [answer, setAnswer] = useState<RouteResult<typeof checkProvider> | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const check = async () => {
    try {
      setAnswer(await call(checkProvider));
      setFailure(null);
    } catch (error) {
      setAnswer(null);
      setFailure(error);
    }
  };
  return (
    <Card title="Sign-in provider check">
      <div className="settings-stack">
        <Facts
          items={[
            {
              name: 'Sign-in',
              value: settings.providerIsEmbedded ? 'Embedded, for development' : settings.provider,
            },
          ]}
        />
        <p className="settings-muted">
          Visits the sign-in service and this site as the other would, and says what is wrong and which
          setting mends it. Nothing is changed.
        </p>
        <div className="settings-foot">
          <Button onClick={check}>{answer ? 'Check again' : 'Check the provider'}</Button>
        </div>
        <output>{answer && <strong>{summaryOf(answer.findings, answer.at)}</strong>}</output>
        {failure !== null && (
          <Failure title="The check could not be made." reference={describeFailure(failure).reference}>
            {describeFailure(failure).message}
          </Failure>
        )}
        {answer && (
          <>
            <ul className="findings" aria-label="What was found">
              {answer.findings.map((finding) => (
                <Finding key={finding.name} {...finding} />
              ))}
            </ul>
            <h3 className="settings-small-head">To register at the provider</h3>
            <p className="settings-muted">
              Redirect addresses of a single-page application, letter by letter. Sign-out returns there too.
            </p>
            <ul className="addresses">
              {answer.redirectAddresses.map((address) => (
                <li key={address}>
                  <code>{address}</code>
                  <Button size="small" onClick={() => copy(address)} aria-label={`Copy ${address}`}>
                    Copy
                  </Button>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Card>
  );
}

function Finding({ name, outcome, found, expected, mend }: ProviderFinding) {
  const { label, tone } = outcomes[outcome];
  return (
    <li className="finding">
      <Badge tone={tone}>{label}</Badge>
      <div>
        <strong>{name}</strong>
        <p>Found: {found}</p>
        {mend && (
          <>
            <p>Expected: {expected}</p>
            <p className="finding-mend">{mend}</p>
          </>
        )}
      </div>
    </li>
  );
}

export function summaryOf(findings: readonly Pick<ProviderFinding, 'outcome'>[], at: string): string {
  const count = (outcome: ProviderFinding['outcome']) =>
    findings.filter((finding) => finding.outcome === outcome).length;
  const [wrong, doubtful] = [count('failed'), count('warning')];
  const parts = [
    wrong === 1 ? 'one thing is wrong' : wrong > 1 && `${wrong} things are wrong`,
    doubtful === 1 ? 'one is worth a look' : doubtful > 1 && `${doubtful} are worth a look`,
  ].filter(Boolean);
  return `Checked at ${time.format(new Date(at))}: ${parts.join(', ') || 'everything is right'}.`;
}

async function copy(address: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(address);
    toast.success('The address is on your clipboard.');
  } catch {
    // No permission, or not a secure context: it can still be marked and copied by hand.
    window.prompt('The address to register:', address);
  }
}
