/** Figures of the site for administrators, updated live. */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  dashboardDays,
  getDashboardFigures,
  type PeriodCount,
  type DashboardFigures,
} from '@vestibule/contract/dashboard';
import { soonDays } from '@vestibule/contract/rules/limits';
import { lazy, type ReactNode } from 'react';
import { formatDay, formatNumber } from '../../language/formats.ts';
import { formatMoment } from '../../language/moment.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { useChanges } from '../../lib/live-changes.ts';
import { BarChart, type Bar } from '../../ui/chart/bar-chart.tsx';
import { Chart } from '../../ui/chart/chart.tsx';
import { Choice } from '../../ui/fields/choice.tsx';
import { CardRow } from '../../ui/facts.tsx';
import { Loading } from '../../ui/states.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { FunnelChart, formatShare, type FunnelStage } from '../../ui/chart/funnel-chart.tsx';
import type { GridFilter } from '../../ui/grid/grid-query.ts';
import { LazyPart } from '../../ui/shell/lazy-part.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { Tile, TileRow } from '../../ui/chart/tile.tsx';
import { useMarkPendingSeen } from './pending-count.ts';
import './dashboard.css';

const FirstSteps = lazy(() => import('./onboarding-card.tsx'));

export type Days = (typeof dashboardDays)[number];

export function Figures({
  days,
  onDays,
  latest,
  children,
}: {
  days: Days;
  onDays: (days: Days) => void;
  latest: (entries: DashboardFigures['latest']) => ReactNode;
  /** The user's own cards, shown before the figures are loaded. */
  children: ReactNode;
}) {
  const client = useQueryClient();
  const query = useApiQuery(getDashboardFigures, {
    key: ['dashboard', 'figures', days],
    query: { days, timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone },
    placeholderData: keepPreviousData,
    // An invitation or removal made on another screen must be counted.
    refetchOnMount: 'always',
  });
  const readAgain = () => void client.invalidateQueries({ queryKey: ['dashboard'] });
  useChanges('activity', readAgain);
  useChanges('invitations', readAgain);
  useMarkPendingSeen();

  if (!query.data)
    return (
      <>
        <Card>
          <Loading query={query} title={t`The figures could not be loaded`} lines={5} />
        </Card>
        <CardRow>{children}</CardRow>
      </>
    );
  const { firstDay, funnel, from, signIns } = query.data;
  const loadedAt = new Date(query.dataUpdatedAt).toISOString();
  return (
    <>
      {query.isError && (
        <output className="quiet">
          <Trans>
            These figures are from <Moment at={loadedAt} />: newer ones could not be loaded.
          </Trans>
        </output>
      )}
      {firstDay && (
        <LazyPart>
          <FirstSteps steps={firstDay} />
        </LazyPart>
      )}
      <Tiles {...query.data} />
      <Choice
        label={t`Period`}
        value={String(days)}
        options={dashboardDays.map((one) => ({ value: String(one), label: periodLabel(one) }))}
        onChange={(chosen) => onDays(Number(chosen) as Days)}
      />
      <CardRow>
        <InvitationFunnel funnel={funnel} from={from} />
        <SignInsByDay spans={signIns} days={days} />
      </CardRow>
      <CardRow>
        {latest(query.data.latest)}
        <div className="dashboard-stack">{children}</div>
      </CardRow>
    </>
  );
}

const periodLabel = (days: Days): string => (days === 364 ? t`A year` : t`${days} days`);

function Tiles({ people, invitations }: DashboardFigures) {
  const { open, expiringSoon, soonUntil, mailFailed } = invitations;
  const disabled = formatNumber(people.disabled);
  return (
    <TileRow label={t`At a glance`}>
      {[
        <Link key="inside" className="tile raised" to="/layout/people" search={{ filters: activeFilters }}>
          <Tile
            label={t`Active people`}
            value={people.active}
            note={people.disabled > 0 && t`${disabled} disabled`}
          />
        </Link>,
        <Link key="open" className="tile raised" to="/layout/invitations" search={{ filters: openFilters }}>
          <Tile label={t`Open invitations`} value={open} note={t`not redeemed yet`} />
        </Link>,
        <Link
          key="expiring"
          className="tile raised"
          to="/layout/invitations"
          search={{ filters: expiringFilters(soonUntil) }}
        >
          <Tile label={t`Expiring soon`} value={expiringSoon} note={t`within ${soonDays} days`} />
        </Link>,
        <Link
          key="failed"
          className="tile raised"
          to="/layout/invitations"
          search={{ filters: failedFilters }}
        >
          <Tile
            label={t`Failed e-mails`}
            value={mailFailed}
            tone={mailFailed > 0 ? 'danger' : 'neutral'}
            note={mailFailed > 0 ? t`see why and what to do` : t`nothing to do`}
          />
        </Link>,
      ]}
    </TileRow>
  );
}

function InvitationFunnel({ funnel, from }: Pick<DashboardFigures, 'funnel' | 'from'>) {
  const { created, redeemed } = funnel;
  const stage = (name: keyof typeof funnel, label: string): FunnelStage & { filters: GridFilter[] } => ({
    label,
    value: funnel[name],
    filters: funnelFilters(name, from),
  });
  const stages = [
    stage('created', t`Created`),
    stage('mailed', t`E-mailed`),
    stage('opened', t`Opened`),
    stage('redeemed', t`Redeemed`),
  ];
  const share = formatShare(redeemed, created);
  const since = formatDay(from);
  return (
    <Chart
      title={t`From invitation to member`}
      description={
        created === 0
          ? t`No invitations were created in this period.`
          : plural(created, {
              one: `Of # invitation since ${since}, ${share} was redeemed.`,
              other: `Of # invitations since ${since}, ${share} were redeemed.`,
            })
      }
      columns={[t`Stage`, t`Invitations`, t`Percent`]}
      rows={stages.map(({ label, value }) => [label, formatNumber(value), formatShare(value, created)])}
    >
      {created === 0 ? (
        <p>
          <Link to="/layout/invitations" search={{ invite: true }}>
            {t`Invite someone`}
          </Link>
        </p>
      ) : (
        <FunnelChart
          stages={stages}
          renderLink={({ filters }, link) => <Link to="/layout/invitations" search={{ filters }} {...link} />}
        />
      )}
    </Chart>
  );
}

function SignInsByDay({ spans, days }: { spans: PeriodCount[]; days: Days }) {
  const weekly = spans.length < days;
  const bars = spans.map((span): Bar & { name: string; span: PeriodCount } => {
    const first = formatMoment(span.from, { dateStyle: weekly ? 'medium' : 'full' });
    const name = weekly ? t`Week from ${first}` : first;
    const count = plural(span.count, { one: '# sign-in', other: '# sign-ins' });
    return { label: formatDay(span.from), name, value: span.count, words: `${name}: ${count}`, span };
  });
  const title = weekly ? t`Sign-ins per week` : t`Sign-ins per day`;
  const total = spans.reduce((sum, { count }) => sum + count, 0);
  const summary = plural(total, { one: '# sign-in', other: '# sign-ins' });
  return (
    <Chart
      title={title}
      description={t`Open a bar to see who last signed in then.`}
      columns={[weekly ? t`Week` : t`Day`, t`Sign-ins`]}
      rows={bars.map(({ name, value }) => [name, formatNumber(value)])}
    >
      <BarChart
        label={title}
        bars={bars}
        summary={t`${summary} in all`}
        renderLink={({ span }, link) => (
          <Link to="/layout/people" search={{ filters: signInFilters(span) }} {...link} />
        )}
      />
    </Chart>
  );
}

const oneOf = (column: string, ...values: string[]): GridFilter => ({ column, is: 'oneOf', values });
const filled = (column: string): GridFilter => ({ column, is: 'filled' });
const open = oneOf('status', 'pending', 'opened');

const activeFilters: GridFilter[] = [oneOf('status', 'active')];
const openFilters: GridFilter[] = [open];
const failedFilters: GridFilter[] = [open, oneOf('mailState', 'failed')];

const expiringFilters = (soonUntil: string): GridFilter[] => [
  open,
  { column: 'expiresAt', is: 'between', to: soonUntil },
];

const stageFilters: Record<keyof DashboardFigures['funnel'], GridFilter[]> = {
  created: [],
  mailed: [filled('mailedAt')],
  opened: [filled('openedAt')],
  redeemed: [oneOf('status', 'redeemed')],
};

const funnelFilters = (stage: keyof DashboardFigures['funnel'], from: string): GridFilter[] => [
  { column: 'createdAt', is: 'between', from },
  ...stageFilters[stage],
];

/** There is no list of sign-ins: lists the people whose last sign-in was in that period. */
const signInFilters = ({ from, to }: PeriodCount): GridFilter[] => [
  { column: 'lastSignInAt', is: 'between', from, to },
];
