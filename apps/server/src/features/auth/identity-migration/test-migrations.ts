/** Test helpers for identity migrations from `acme` to `other`. */
import { getMigrationLink, startMigration } from '@vestibule/contract/identity-migrations/link';
import {
  removePreviousIdentities,
  listMigrations,
  startMigrations,
  remindMigrations,
  cancelMigrations,
  type IdentityMigration,
} from '@vestibule/contract/identity-migrations';
import type { RouteDefinition, RouteResult } from '@vestibule/contract/route';
import type { TestBrowser } from '../../../test/sign-in/test-browser.ts';
import type { TestOidcSite } from '../../../test/sign-in/test-oidc-site.ts';
import type { MailTemplate } from '../../../platform/mail/mail-queue.ts';
import { migrationMailName } from './migration-mail.ts';

type BulkResult = RouteResult<typeof cancelMigrations>;

export async function createTestMigrations(site: TestOidcSite) {
  const { t } = site;
  const admin = await site.join('admin');
  const mailTemplate = t.mailTemplates[migrationMailName] as MailTemplate;

  const runAction = async (route: RouteDefinition, body: object): Promise<BulkResult> => {
    const response = await admin.browser.ask('POST', route.path, { body });
    if (response.statusCode !== 200) throw new Error(response.payload);
    return response.json<BulkResult>();
  };
  /** Returns the id of the newest migration. */
  const migrationIdOf = async (personId: string) =>
    t.scalar<string>`
        select id from identity_migrations where person_id = ${personId} order by created_at desc, id desc limit 1`;

  return {
    admin,
    migrationIdOf,
    mailOf: (migrationId: string) => mailTemplate.write(migrationId),
    mailTemplate,
    start: (ids: string[], method = 'other') =>
      runAction(startMigrations, { way: method, selection: { ids } }),
    remind: (ids: string[]) => runAction(remindMigrations, { selection: { ids } }),
    cancel: (ids: string[]) => runAction(cancelMigrations, { selection: { ids } }),
    removePrevious: (ids: string[], method = 'acme') =>
      runAction(removePreviousIdentities, { way: method, selection: { ids } }),
    async list(query = ''): Promise<{ rows: IdentityMigration[]; total: number }> {
      const response = await admin.browser.ask('GET', `${listMigrations.path}?${query}`);
      return response.json<{ rows: IdentityMigration[]; total: number }>();
    },
    stateOf: async (migrationId: string): Promise<string | undefined> => {
      const { rows } = (await admin.browser.ask('GET', `${listMigrations.path}?limit=500`)).json<{
        rows: IdentityMigration[];
      }>();
      return rows.find(({ id }) => id === migrationId)?.state;
    },
    methodsOf: (personId: string) =>
      t.scalars<string>`select way from identities where person_id = ${personId} order by way`,

    /** Returns the audit entries about a person's identities and migrations. */
    logOf: async (id: string) =>
      (
        await t.select<{ action: string; actor: string }>`
          select action, actor_label as actor from audit_log
          where target_id = ${id} and (action like 'identity.%' or action like 'move.%') order by id`
      ).map(({ action, actor }) => `${action} by ${actor === admin.email ? 'admin' : actor}`),

    /** Starts the migration of a new member of `acme`. `signInAtOther` selects their account for the next sign-in at `other`. */
    async create(claims: Record<string, unknown> = {}) {
      const person = await site.join();
      await this.start([person.id]);
      const migrationId = await migrationIdOf(person.id);
      const mail = await mailTemplate.write(migrationId);
      const code = /\/move\?m=(\w+)/.exec(mail?.text ?? '')?.[1] as string;
      const sub = `new account of ${person.email}`;
      const signInAtOther = () =>
        site.other.setNextAccount(sub, { email: person.email, email_verified: true, ...claims });
      signInAtOther();
      return { ...person, migrationId, code, sub, signInAtOther };
    },

    getLink: async (browser: TestBrowser, code: string) =>
      (await browser.ask('POST', getMigrationLink.path, { body: { code } })).json<
        RouteResult<typeof getMigrationLink>
      >(),

    /** Starts the sign-in of a link. Returns the provider's URL, or the error code. */
    async startLink(browser: TestBrowser, code: string): Promise<string> {
      const response = await browser.ask('POST', startMigration.path, { body: { code } });
      const body = response.json<{ url?: string; code?: string }>();
      return body.url ?? (body.code as string);
    },

    /** Signs in through a link. Returns the final path, or the error code of the start. */
    async signIn(browser: TestBrowser, code: string): Promise<string> {
      const url = await this.startLink(browser, code);
      if (!url.startsWith('http')) return url;
      return await browser.finish(url);
    },
  };
}
