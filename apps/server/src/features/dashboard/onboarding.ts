/** Onboarding steps of a new site. Steps that cannot be derived from settings, invitations or people are recorded. */
import { dismissOnboarding, type OnboardingStep } from '@vestibule/contract/dashboard';
import { settingNames } from '@vestibule/contract/settings/setting-names';
import { settingsAudit } from '../../platform/audit/audit-log.ts';
import type { Config } from '../../platform/config/read-config.ts';
import {
  execute,
  rawSql,
  rowOf,
  type Database,
  type DatabaseDeps,
} from '../../platform/database/database.ts';
import { implement, type Implementation } from '../../platform/http/implement.ts';

/** Records the first accepted test mail or successful provider check. */
type RecordOnboardingStep = (column: 'mail_tested_at' | 'provider_checked_at') => Promise<void>;

export const createOnboardingStore =
  (deps: DatabaseDeps): RecordOnboardingStep =>
  async (column) => {
    await execute(deps.database)`
      update onboarding set ${rawSql(column)} = ${new Date(deps.now())} where ${rawSql(column)} is null`;
  };

/** Returns the steps in order; null if all are done or the onboarding was dismissed. */
export async function readOnboardingSteps({
  database,
  config,
  sendsMails,
}: {
  database: Database;
  config: Pick<Config, 'provider' | 'oidc'>;
  sendsMails: boolean;
}): Promise<OnboardingStep[] | null> {
  const done = await rowOf<Record<OnboardingStep['step'], boolean>>(database, { name: 'read-first-day' })`
    select mail_tested_at is not null as mail, provider_checked_at is not null as provider,
      exists (select from settings where name in ('productName', 'logo') and value is not null) as site,
      exists (select from invitations where created_by is not null)
        or exists (select from people offset 1) as invite
    from onboarding where dismissed_at is null`;
  if (!done) return null;
  const steps: OnboardingStep['step'][] = [
    'site',
    ...(sendsMails ? (['mail'] as const) : []),
    ...(config.provider || config.oidc.length > 0 ? (['provider'] as const) : []),
    'invite',
  ];
  return steps.every((step) => done[step]) ? null : steps.map((step) => ({ step, done: done[step] }));
}

export const dismissRoute = ({ database, now }: DatabaseDeps): Implementation =>
  implement(dismissOnboarding, async (call) => {
    await database.transaction(async (transaction) => {
      const rowCount = await execute(transaction)`
        update onboarding set dismissed_at = ${new Date(now())} where dismissed_at is null`;
      if (rowCount === 0) return;
      const target = { id: 'firstSteps', label: settingNames.firstSteps.message };
      await settingsAudit.record(transaction, target, 'settings.first_steps_dismissed', call);
    });
    return { dismissed: true as const };
  });
