import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { checkProvider, type ProviderFinding } from '@vestibule/contract/settings/provider-check';
import type { Settings } from '@vestibule/contract/settings';
import type { RouteResult } from '@vestibule/contract/route';
import { useState } from 'react';
import { describeFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';
import { Button } from '../../../ui/button.tsx';
import { AddressList, FindingList } from '../../../ui/findings.tsx';
import { Failure } from '../../../ui/states.tsx';
import { Moment } from '../../../ui/time/moment.tsx';
import { ServerFacts } from '../form/section-form.tsx';

type Check = RouteResult<typeof checkProvider>;

export function ProviderSection({ settings }: { settings: Settings }) {
  const [result, setResult] = useState<Check | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const check = async () => {
    try {
      setResult(await call(checkProvider));
      setFailure(null);
    } catch (error) {
      setResult(null);
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
        <Button onClick={check}>{result ? t`Check again` : t`Check the provider`}</Button>
      </div>
      <output>
        {result && (
          <strong>
            <Trans>
              Checked <Moment at={result.at} />: {summaryOf(result.findings)}.
            </Trans>
          </strong>
        )}
      </output>
      {failure !== null && <Failure title={t`The check could not be run.`} {...describeFailure(failure)} />}
      {result && (
        <>
          <FindingList findings={result.findings} />
          <h3>{t`To register at the provider`}</h3>
          <p className="quiet">{t`Exactly as shown, each with its provider.`}</p>
          <AddressList
            items={result.registrations.map(({ provider, use, address }) => ({
              label: describeUse(provider, use),
              address,
            }))}
          />
        </>
      )}
    </div>
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
