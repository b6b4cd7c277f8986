import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { checkProvider, type ProviderFinding } from '@vestibule/contract/settings/provider-check';
import type { Settings } from '@vestibule/contract/settings';
import type { RouteResult } from '@vestibule/contract/route';
import { useState } from 'react';
import { formatMessage } from '../../../language/format-message.ts';
import { describeFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';
import { StateBadge } from '../../../ui/marks/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { copyText } from '../../../ui/toast/toast.tsx';
import { Failure } from '../../../ui/states.tsx';
import { Moment } from '../../../ui/time/moment.tsx';
import { ServerFacts } from '../form/section-form.tsx';

type Check = RouteResult<typeof checkProvider>;

const outcomes = () =>
  ({
    ok: { label: t`OK`, tone: 'success' },
    warning: { label: t`Check this`, tone: 'warning' },
    failed: { label: t`Wrong`, tone: 'danger' },
  }) as const;

export function ProviderSection({ settings }: { settings: Settings }) {
  const [answer, setAnswer] = useState<Check | null>(null);
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
    <div className="stack">
      <ServerFacts
        facts={[
          {
            name: t`Sign-in`,
            value: settings.providerIsEmbedded ? t`Embedded, for development` : settings.provider,
          },
        ]}
      />
      <p className="quiet">
        <Trans>
          Sends the requests that this site and the sign-in service send each other, and reports what is wrong
          and which setting fixes it. Nothing is changed.
        </Trans>
      </p>
      <div className="settings-foot">
        <Button onClick={check}>{answer ? t`Check again` : t`Check the provider`}</Button>
      </div>
      <output>
        {answer && (
          <strong>
            <Trans>
              Checked <Moment at={answer.at} />: {summaryOf(answer.findings)}.
            </Trans>
          </strong>
        )}
      </output>
      {failure !== null && <Failure title={t`The check could not be run.`} {...describeFailure(failure)} />}
      {answer && (
        <>
          <ul aria-label={t`What was found`}>
            {answer.findings.map((finding) => (
              <Finding key={finding.topic.message} {...finding} />
            ))}
          </ul>
          <h3>{t`To register at the provider`}</h3>
          <p className="quiet">{t`Exactly as shown, each with its provider.`}</p>
          <ul className="addresses">
            {answer.registrations.map(({ provider, use, address }) => (
              <li key={`${provider} ${use}`}>
                <span>{describeUse(provider, use)}</span>
                <code>{address}</code>
                <Button size="small" onClick={() => copy(address)} aria-label={t`Copy ${address}`}>
                  {t`Copy`}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Finding({ topic, outcome, mend: remedy, ...rest }: ProviderFinding) {
  const [found, expected] = [formatMessage(rest.found), formatMessage(rest.expected)];
  return (
    <li className="finding">
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
}

function describeUse(provider: string, use: Check['registrations'][number]['use']): string {
  switch (use) {
    case 'page':
      return t`${provider}, redirect address of a single-page application; sign-out returns there too:`;
    case 'redirect':
      return t`${provider}, redirect address:`;
    case 'signed-out':
      return t`${provider}, address after signing out:`;
    case 'backchannel-logout':
      return t`${provider}, back-channel logout:`;
  }
}

function summaryOf(findings: readonly Pick<ProviderFinding, 'outcome'>[]): string {
  const count = (outcome: ProviderFinding['outcome']) =>
    findings.filter((finding) => finding.outcome === outcome).length;
  const [wrong, doubtful] = [count('failed'), count('warning')];
  const parts = [
    wrong > 0 && plural(wrong, { one: 'one thing is wrong', other: '# things are wrong' }),
    doubtful > 0 && plural(doubtful, { one: 'one thing to look at', other: '# things to look at' }),
  ].filter(Boolean);
  return parts.join(', ') || t`everything is correct`;
}

const copy = (address: string) =>
  copyText(address, t`The address is on your clipboard.`, t`The address to register:`);
