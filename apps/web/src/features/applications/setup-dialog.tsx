import { t } from '@lingui/core/macro';
import { checkApplication, type Application } from '@vestibule/contract/applications';
import type { RouteResult } from '@vestibule/contract/route';
import { useState } from 'react';
import { formatMessage } from '../../language/format-message.ts';
import { call } from '../../lib/call.ts';
import { Button } from '../../ui/button.tsx';
import { CloseAction, Dialog } from '../../ui/dialog/dialog.tsx';
import { StateBadge } from '../../ui/marks/badge.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { runWithErrorToast } from '../../ui/toast/toast.tsx';
import { useBusy } from '../../ui/use-busy.ts';
import { hostOf, setupStates, setupSteps } from './application-texts.ts';

/** Checks the proxy of an application, and shows what it lacks. */
export function SetupDialog({ application, onClose }: { application: Application; onClose: () => void }) {
  const [result, setResult] = useState<RouteResult<typeof checkApplication> | null>(null);
  const [check, isChecking] = useBusy(() =>
    runWithErrorToast(async () =>
      setResult(await call(checkApplication, { params: { applicationId: application.id } })),
    ),
  );
  return (
    <Dialog
      title={t`Set-up of ${application.name}`}
      onClose={onClose}
      actions={
        <>
          <Button variant={result ? 'secondary' : 'primary'} busy={isChecking} onClick={check}>
            {result ? t`Check again` : t`Check the set-up`}
          </Button>
          <CloseAction onClose={onClose} />
        </>
      }
    >
      <div className="stack">
        <p>
          {t`A reverse proxy in front of ${hostOf(application)} asks this site about each request. The guide “Protect an application” has examples for Caddy, nginx, Traefik and HAProxy. Change the proxy, then check.`}
        </p>
        <output>{result && summaryOf(result.steps.map(({ state }) => state))}</output>
        <RecordList
          entries={(result?.steps ?? []).map(({ step, state, message }) => ({
            id: step,
            text: setupSteps()[step],
            detail: message && formatMessage(message),
            badges: <StateBadge of={setupStates()[state]} />,
          }))}
        />
      </div>
    </Dialog>
  );
}

function summaryOf(states: readonly string[]): string {
  if (states.includes('failed')) return t`Something is missing.`;
  return states.includes('unknown') ? t`Not everything could be checked.` : t`Nothing is missing.`;
}
