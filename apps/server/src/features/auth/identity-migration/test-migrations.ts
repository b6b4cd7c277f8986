/** People who move from `acme` to `other`, for tests. */
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
import type { TestBrowser } from '../../../test/test-browser.ts';
import type { TestOidcSite } from '../../../test/test-oidc-site.ts';
import type { MailTemplate } from '../../../platform/mail/mail-queue.ts';
import { migrationMailName } from './migration-mail.ts';

type BulkResult = RouteResult<typeof cancelMigrations>;

/** Whoever signs in next is met by providers that do as they should. */
export function resetProviders(site: TestOidcSite): void {
  for (const provider of [site.acme, site.other])
    Object.assign(provider.next, { answer: null, instead: null, error: null });
}

export async function createTestMigrations(site: TestOidcSite) {
  const { t } = site;
  const admin = await site.join('admin');
  const mails = t.mailTemplates[migrationMailName] as MailTemplate;

  const act = async (route: RouteDefinition, body: object): Promise<BulkResult> => {
    const answer = await admin.browser.ask('POST', route.path, { body });
    if (answer.statusCode !== 200) throw new Error(answer.payload);
    return answer.json<BulkResult>();
  };
  /** The newest move of somebody. */
  const moveOf = async (personId: string) =>
    (
      await t.select<{ id: string }>(
        'select id from moves where person_id = $1 order by made_at desc, id desc limit 1',
        [personId],
      )
    )[0]?.id as string;

  return {
    admin,
    moveOf,
    mailOf: (moveId: string) => mails.write(moveId),
    mails,
    begin: (ids: string[], way = 'other') => act(startMigrations, { way, selection: { ids } }),
    remind: (ids: string[]) => act(remindMigrations, { selection: { ids } }),
    undo: (ids: string[]) => act(cancelMigrations, { selection: { ids } }),
    close: (ids: string[], way = 'acme') => act(removePreviousIdentities, { way, selection: { ids } }),
    async list(query = ''): Promise<{ rows: IdentityMigration[]; total: number }> {
      const answer = await admin.browser.ask('GET', `${listMigrations.path}?${query}`);
      return answer.json<{ rows: IdentityMigration[]; total: number }>();
    },
    stateOf: async (moveId: string): Promise<string | undefined> => {
      const { rows } = (await admin.browser.ask('GET', `${listMigrations.path}?limit=500`)).json<{
        rows: IdentityMigration[];
      }>();
      return rows.find(({ id }) => id === moveId)?.state;
    },
    waysOf: async (personId: string) =>
      (
        await t.select<{ way: string }>('select way from identities where person_id = $1 order by way', [
          personId,
        ])
      ).map(({ way }) => way),

    /** What the log says of somebody, or of a move. */
    logOf: async (id: string) =>
      (
        await t.select<{ action: string; actor: string }>(
          `select action, actor_label as actor from audit_log
           where target_id = $1 and (action like 'identity.%' or action like 'move.%') order by id`,
          [id],
        )
      ).map(({ action, actor }) => `${action} by ${actor === admin.email ? 'admin' : actor}`),

    /** Somebody with an account at `acme` who is asked to move; `next` is who signs in at `other` then. */
    async asked(claims: Record<string, unknown> = {}) {
      const person = await site.join();
      await this.begin([person.id]);
      const moveId = await moveOf(person.id);
      const mail = await mails.write(moveId);
      const code = /\/move\?m=(\w+)/.exec(mail?.text ?? '')?.[1] as string;
      const sub = `new account of ${person.email}`;
      const next = () =>
        site.other.setNextAccount(sub, { email: person.email, email_verified: true, ...claims });
      next();
      return { ...person, moveId, code, sub, next };
    },

    look: async (browser: TestBrowser, code: string) =>
      (await browser.ask('POST', getMigrationLink.path, { body: { code } })).json<
        RouteResult<typeof getMigrationLink>
      >(),

    /** Sets out by a link; gives the provider's address, or the code of the refusal. */
    async setOut(browser: TestBrowser, code: string): Promise<string> {
      const answer = await browser.ask('POST', startMigration.path, { body: { code } });
      const body = answer.json<{ url?: string; code?: string }>();
      return body.url ?? (body.code as string);
    },

    /** The whole way; gives the path that it ends with. */
    async go(browser: TestBrowser, code: string): Promise<string> {
      const url = await this.setOut(browser, code);
      if (!url.startsWith('http')) return url;
      return String((await browser.ask('GET', await browser.visitProvider(url))).headers.location);
    },
  };
}
