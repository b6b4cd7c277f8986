/** `/layout/activity`: the audit log (administrators only). */
import { plural, t } from '@lingui/core/macro';
import { IconHistory } from '@tabler/icons-react';
import {
  exportOrganizationActivity,
  listActivity,
  listOrganizationActivity,
  type Activity,
  type ActivityColumn,
  verifyActivity,
} from '@vestibule/contract/activity';
import { useMemo, useState, useEffect } from 'react';
import { actions, actionLabel, actorOf, affectedBy, entrySentence, targetLabel } from './activity-texts.ts';
import EntryDialog from './entry-dialog.tsx';
import { routeOf } from '../../lib/active-organization.ts';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { useListAddress } from '../../lib/lists/list-address.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, Failure } from '../../ui/states.tsx';
import { columnsByName, valuesOf } from '../../ui/grid/grid-column.ts';
import { DataGrid } from '../../ui/grid/grid.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { Plural, Trans } from '@lingui/react/macro';
import type { RouteResult } from '@vestibule/contract/route';
import { formatDay, formatNumber } from '../../language/formats.ts';
import { describeFailure } from '../../language/call-failure.ts';
import { call } from '../../lib/call.ts';
import { CloseAction, Dialog } from '../../ui/dialog/dialog.tsx';
import './activity.css';

const siteSource = {
  name: 'activity',
  fetchPage: fetchPageFrom(listActivity),
  exportPath: '/api/activity/export',
  changesOf: 'activity',
};

/** The log of an organization has no network addresses, so its entries lack the field of the column that is not shown. */
const organizationSource = (organizationId: string) => ({
  name: 'activity',
  fetchPage: fetchPageFrom(
    routeOf(listOrganizationActivity, { organizationId }) as unknown as typeof listActivity,
  ),
  exportPath: routeOf(exportOrganizationActivity, { organizationId }).path,
});

const columns = () =>
  columnsByName<Activity, ActivityColumn>({
    at: { title: t`When`, kind: 'date-time', filter: { kind: 'date' }, narrow: 'detail' },
    actor: {
      title: t`Who`,
      kind: 'person',
      text: ({ actor, tokenName }) => (tokenName ? t`${actor} (token “${tokenName}”)` : actor),
      person: actorOf,
      filter: { kind: 'text' },
      sortable: false,
      flex: 2,
      minWidth: 216,
      narrow: 'detail',
    },
    action: {
      title: t`What`,
      kind: 'text',
      text: ({ action }) => actionLabel(action),
      filter: { kind: 'set', values: valuesOf(actions()) },
      sortable: false,
      flex: 1.5,
      minWidth: 200,
      narrow: 'title',
      narrowText: (entry) => entrySentence(entry, entry.target),
    },
    target: {
      title: t`Affected`,
      kind: 'person',
      text: targetLabel,
      person: affectedBy,
      filter: { kind: 'text' },
      sortable: false,
      flex: 2,
      minWidth: 208,
      narrow: 'subtitle',
    },
    address: { title: t`From`, kind: 'text', filter: { kind: 'text' }, sortable: false, minWidth: 136 },
  });

/** The log of the site, or the part of it about an organization. */
export function ActivityScreen({ organizationId }: { organizationId?: string }) {
  const address = useListAddress();
  const [entry, setEntry] = useState<Activity | null>(null);
  const [verifying, setVerifying] = useState(false);
  const isOfSite = organizationId === undefined;
  const shownColumns = useMemo(() => columns().filter(({ id }) => isOfSite || id !== 'address'), [isOfSite]);
  const source = useMemo(
    () => (organizationId === undefined ? siteSource : organizationSource(organizationId)),
    [organizationId],
  );
  return (
    <Page
      title={t`Activity`}
      fill
      actions={isOfSite && <Button onClick={() => setVerifying(true)}>{t`Verify the log`}</Button>}
    >
      <DataGrid
        key={organizationId}
        label={t`Activity`}
        countOf={(count) => plural(count, { one: '# entry', other: '# entries' })}
        columns={shownColumns}
        source={source}
        address={address}
        onRowOpen={setEntry}
        rowActions={(row) => [{ label: t`Details`, onSelect: () => setEntry(row) }]}
        emptyState={
          <EmptyState icon={<IconHistory size={32} stroke={1.5} />} title={t`Nothing has happened yet`}>
            {t`Every invitation and every change to a person will appear here.`}
          </EmptyState>
        }
      />
      {entry && <EntryDialog entry={entry} onClose={() => setEntry(null)} />}
      {verifying && <VerifyDialog onClose={() => setVerifying(false)} />}
    </Page>
  );
}

type Step = RouteResult<typeof verifyActivity>;
type Progress = { checked: number; step: Step | null; failure: unknown };

const initialProgress: Progress = { checked: 0, step: null, failure: undefined };

/** Verifies the audit log against its seals, in batches, and shows the result. */
function VerifyDialog({ onClose }: { onClose: () => void }) {
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
      actions={<CloseAction label={step?.done || failed ? t`Close` : t`Stop`} onClose={onClose} />}
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
