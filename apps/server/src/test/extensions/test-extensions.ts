import type { Area } from '../../platform/area.ts';
import { grantApplicationRights } from '../../platform/database/application-role.ts';
import { execute, rowsOf, type Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import type { LoadedExtension } from '../../platform/extensions/extension.ts';
import { migrationsOf } from '../../platform/extensions/load-extensions.ts';
import type { Mail, MailTemplate } from '../../platform/mail/mail-queue.ts';
import { migrations } from '../../startup/create-database.ts';

/** The template database has the tables of the product and of the checkout's numbers from 100. */
export async function migrateExtensions(
  extensions: LoadedExtension[],
  ownerUrl: string,
  databaseUrl: string,
): Promise<void> {
  const own = migrationsOf(extensions);
  if (own.length === 0) return;
  await migrate({ url: ownerUrl, variable: 'DATABASE_URL' }, migrations, { extensions: own });
  await grantApplicationRights(ownerUrl, databaseUrl);
}

/** Helpers of the test application for extensions. */
export function extensionHelpers(
  areas: Area[],
  owner: Database,
  mailTemplates: Record<string, MailTemplate>,
) {
  return {
    /** Contract routes of extensions. */
    extensionRoutes: new Set(
      areas.flatMap((area) => (area.extension === undefined ? [] : area.routes.map(({ route }) => route))),
    ),
    extensionPermissions: areas.flatMap(({ permissions = [] }) => permissions),
    /** Runs a job of an extension, such as `tickets/remind`, as if it were due. */
    async runJob(name: string) {
      const timer = areas.flatMap(({ timers = [] }) => timers).find((one) => one.name === `the job ${name}`);
      if (!timer) throw new Error(`There is no job ${name}.`);
      await execute(
        owner,
        `insert into extension_jobs (name, due_at) values ($1, '-infinity')
         on conflict (name) do update set due_at = '-infinity'`,
        [name],
      );
      await timer.task(new AbortController().signal);
    },
    /** Returns the subject ids of queued mails, such as those of `tickets/closed`. */
    queuedMails: async (template: string) =>
      (
        await rowsOf<{ subject: string }>(
          owner,
          `select data ->> 'subjectId' as subject from jobs.job where data ->> 'template' = $1 order by created_on`,
          [template],
        )
      ).map(({ subject }) => subject),
    /** Writes the queued mails of a template, such as `tickets/closed`, as the worker does, and returns what it would send. */
    async writeQueuedMails(template: string): Promise<Mail[]> {
      const mails: Mail[] = [];
      for (;;) {
        const jobs = await rowsOf<{ id: string; data: { subjectId: string; recipientId?: string } }>(
          owner,
          `update jobs.job set state = 'completed', completed_on = now()
           where data ->> 'template' = $1 and state = 'created' returning id, data`,
          [template],
        );
        if (jobs.length === 0) return mails;
        for (const { id, data } of jobs) {
          const { subjectId, recipientId } = data;
          const mail = await mailTemplates[template]?.write(subjectId, { id, recipientId });
          if (mail) mails.push(mail);
        }
      }
    },
  };
}
