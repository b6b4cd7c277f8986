/** Verifies the audit log against its seals, in batches, and shows the result. */
import { plural, t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { verifyActivity } from '@vestibule/contract/activity';
import type { RouteResult } from '@vestibule/contract/route';
import { useEffect, useState } from 'react';
import { formatDay, formatNumber } from '../../language/formats.ts';
import { describeFailure } from '../../language/call-failure.ts';
import { call } from '../../lib/call.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { Failure } from '../../ui/states.tsx';
import './activity.css';

type Step = RouteResult<typeof verifyActivity>;
type Progress = { checked: number; step: Step | null; failure: unknown };

const initialProgress: Progress = { checked: 0, step: null, failure: undefined };

export function VerifyDialog({ onClose }: { onClose: () => void }) {
  const [run, setRun] = useState(0);
  return <Run key={run} onRepeat={() => setRun(run + 1)} onClose={onClose} />;
}

function Run({ onRepeat, onClose }: { onRepeat: () => void; onClose: () => void }) {
  const [{ checked, step, failure }, setProgress] = useState(initialProgress);

  useEffect(() => {
    const stop = new AbortController();
    void verify(stop.signal, setProgress);
    return () => stop.abort();
  }, []);

  const failed = failure === undefined ? null : describeFailure(failure);
  return (
    <Dialog
      title={t`Verify the log`}
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          {step?.done || failed ? t`Close` : t`Stop`}
        </Button>
      }
    >
      {failed ? (
        <Failure title={t`The check was interrupted`} {...failed} onRetry={onRepeat} />
      ) : (
        <div className="verify" aria-live="polite">
          {step?.done ? <Verdict step={step} checked={checked} /> : <Running step={step} checked={checked} />}
        </div>
      )}
    </Dialog>
  );
}

async function verify(signal: AbortSignal, report: (progress: Progress) => void): Promise<void> {
  let checked = 0;
  let step: Step | null = null;
  try {
    for (let after = 0, done = false; !done;) {
      step = await call(verifyActivity, { query: { after }, signal });
      ({ lastSeal: after, done } = step);
      checked += step.checked;
      if (signal.aborted) return;
      report({ checked, step, failure: undefined });
    }
  } catch (failure) {
    if (!signal.aborted) report({ checked, step, failure });
  }
}

function Running({ step, checked }: { step: Step | null; checked: number }) {
  return (
    <>
      <p>{t`Each entry is compared with the seal made when it was written.`}</p>
      <progress aria-label={t`Entries compared`} max={step?.sealed ?? 1} value={step ? checked : undefined} />
      <p>{step ? t`${formatNumber(checked)} of ${formatNumber(step.sealed)} entries` : t`Starting …`}</p>
    </>
  );
}

function Verdict({ step, checked }: { step: Step; checked: number }) {
  if (step.problem)
    return (
      <>
        <p className="verify-answer verify-wrong">
          <strong>{t`The log was altered.`}</strong> {step.problem.message}
        </p>
        <p>
          <Trans>
            The {formatNumber(checked)} entries checked before it are unaltered. Altering the log takes access
            to the database itself: tell its operator, keep a copy, and compare it with a backup.
          </Trans>
        </p>
      </>
    );
  return (
    <>
      <p className="verify-answer verify-right">
        <strong>{t`Nothing was altered.`}</strong>{' '}
        {checked === 0 || step.since === null
          ? t`No entry is sealed yet.`
          : describeIntact(checked, formatDay(step.since, 'long'))}
      </p>
      {step.unsealed > 0 && (
        <p>
          <Plural
            value={step.unsealed}
            one="# newer one is sealed within seconds."
            other="# newer ones are sealed within seconds."
          />
        </p>
      )}
    </>
  );
}

const describeIntact = (entries: number, day: string) =>
  plural(entries, {
    one: `The only entry since ${day} is unaltered.`,
    other: `All # entries since ${day} are unaltered: none changed, removed or inserted.`,
  });
