/** Compares the whole log with its seals, part by part, and says in words what came of it. */
import { verifyActivity } from '@vestibule/contract/activity';
import type { RouteResult } from '@vestibule/contract/route';
import { useEffect, useState } from 'react';
import { describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import './activity.css';

type Step = RouteResult<typeof verifyActivity>;
type Progress = { checked: number; step: Step | null; failure: unknown };

const nothingYet: Progress = { checked: 0, step: null, failure: undefined };
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });

export function VerifyDialog({ onClose }: { onClose: () => void }) {
  const [run, setRun] = useState(0);
  return <Run key={run} onRepeat={() => setRun(run + 1)} onClose={onClose} />;
}

function Run({ onRepeat, onClose }: { onRepeat: () => void; onClose: () => void }) {
  const [{ checked, step, failure }, setProgress] = useState(nothingYet);

  useEffect(() => {
    const stop = new AbortController();
    void verify(stop.signal, setProgress);
    return () => stop.abort();
  }, []);

  const failed = failure === undefined ? null : describeFailure(failure);
  return (
    <Dialog
      title="Verify the log"
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          {step?.done || failed ? 'Close' : 'Stop'}
        </Button>
      }
    >
      {failed ? (
        <Failure title="The check was interrupted" reference={failed.reference} onRetry={onRepeat}>
          {failed.message}
        </Failure>
      ) : (
        <div className="verify" aria-live="polite">
          {step?.done ? <Verdict step={step} checked={checked} /> : <Running step={step} checked={checked} />}
        </div>
      )}
    </Dialog>
  );
}

async function verify(signal: AbortSignal, tell: (progress: Progress) => void): Promise<void> {
  let checked = 0;
  let step: Step | null = null;
  try {
    for (let after = 0, done = false; !done;) {
      step = await call(verifyActivity, { query: { after }, signal });
      ({ lastSeal: after, done } = step);
      checked += step.checked;
      if (signal.aborted) return;
      tell({ checked, step, failure: undefined });
    }
  } catch (failure) {
    if (!signal.aborted) tell({ checked, step, failure });
  }
}

function Running({ step, checked }: { step: Step | null; checked: number }) {
  return (
    <>
      <p>Each entry is compared with what was sealed when it was written.</p>
      <progress aria-label="Entries compared" max={step?.sealed ?? 1} value={step ? checked : undefined} />
      <p>{step ? `${checked.toLocaleString()} of ${step.sealed.toLocaleString()} entries` : 'Beginning …'}</p>
    </>
  );
}

function Verdict({ step, checked }: { step: Step; checked: number }) {
  if (step.problem)
    return (
      <>
        <p className="verify-answer verify-wrong">
          <strong>The log was altered.</strong> {step.problem.message}
        </p>
        <p>
          The {checked.toLocaleString()} entries checked before it are as they were written. Whoever did this
          had access to the database itself: tell whoever runs it, keep a copy of it, and compare with a
          backup.
        </p>
      </>
    );
  return (
    <>
      <p className="verify-answer verify-right">
        <strong>Nothing was altered.</strong>{' '}
        {checked === 0
          ? 'No entry is sealed yet.'
          : `All ${checked.toLocaleString()} ${checked === 1 ? 'entry' : 'entries'}${step.since ? ` since ${day.format(new Date(step.since))}` : ''} are as they were written: none changed, none removed, none slipped in.`}
      </p>
      {step.unsealed > 0 && (
        <p>
          {step.unsealed.toLocaleString()} newer {step.unsealed === 1 ? 'one is' : 'ones are'} sealed within
          seconds.
        </p>
      )}
    </>
  );
}
