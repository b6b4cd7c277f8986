import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { rowsOf, scalarsOf, type Database } from '../../platform/database/database.ts';

/** Values provided by the test setup (test-setup.ts): one server and a migrated template. `run` is part of the names of its databases. */
export type TestServer = {
  administratorUrl: string;
  url: string;
  applicationUrl: string;
  template: string;
  run: string;
};

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface ProvidedContext {
    testServer: TestServer;
  }
}

/** For tests with many concurrent calls, of which the last waits longer than the production limits. */
export const longTimeouts = { timeoutFactor: 15 };

type TestDatabase = {
  name: string;
  url: string;
  applicationUrl: string;
  asAdministrator(statement: string): Promise<void>;
  drop(): Promise<void>;
};

/**
 * Creates a migrated database for a test or test file: an empty one, or a copy of `template`. `url` connects as its owner,
 * `applicationUrl` as the application's role, with the same rights as in production. `drop` also closes open connections. One of
 * the kind `site` remains until the end of all tests.
 */
export async function createTestDatabase(
  template = inject('testServer').template,
  kind: 'test' | 'site' = 'test',
): Promise<TestDatabase> {
  const { administratorUrl } = inject('testServer');
  return createDatabase(
    kind,
    (name) => `create database ${name} template ${template} owner vestibule strategy file_copy`,
    administratorUrl,
  );
}

export async function createEmptyDatabase(options = ''): Promise<TestDatabase> {
  const { administratorUrl } = inject('testServer');
  return createDatabase(
    'empty',
    (name) => `create database ${name} owner vestibule ${options}`,
    administratorUrl,
  );
}

async function createDatabase(
  kind: string,
  statement: (name: string) => string,
  administratorUrl: string,
): Promise<TestDatabase> {
  const { url, applicationUrl, run } = inject('testServer');
  const name = `${kind}_${run}_${randomUUID().replaceAll('-', '')}`;
  const administrator = connectAsAdministrator(administratorUrl);
  await administrator.query(statement(name));
  const withName = (templateUrl: string) =>
    Object.assign(new URL(templateUrl), { pathname: `/${name}` }).href;
  return {
    name,
    url: withName(url),
    applicationUrl: withName(applicationUrl),
    asAdministrator: (text) => runAsAdministrator(withName(administratorUrl), text),
    drop: async () => void (await administrator.query(`drop database if exists ${name} with (force)`)),
  };
}

let administrators: pg.Pool | undefined;

/** Returns the pool of the test worker. It does not keep the worker running. */
function connectAsAdministrator(url: string): pg.Pool {
  if (!administrators) {
    administrators = new pg.Pool({
      connectionString: url,
      max: 2,
      idleTimeoutMillis: 0,
      allowExitOnIdle: true,
    });
    // The server stops before the worker ends.
    administrators.on('error', () => {});
  }
  return administrators;
}

async function runAsAdministrator(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Statements that tests use to look at stored data. */
export function databaseReaders(owner: Database) {
  /** Runs a statement, as a template that contains its values or as text with numbered parameters. Returns the rows. */
  function select<Row>(statement: TemplateStringsArray, ...values: unknown[]): Promise<Row[]>;
  function select<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  function select<Row>(statement: string | TemplateStringsArray, ...values: unknown[]): Promise<Row[]> {
    return typeof statement === 'string'
      ? rowsOf<Row>(owner, statement, ...(values as []))
      : rowsOf<Row>(owner)(statement, ...values);
  }
  type AuditEntry = {
    action: string;
    actor_id: string | null;
    actor_label: string;
    detail: Record<string, unknown>;
  };
  const scalars = <Value>(statement: TemplateStringsArray, ...values: unknown[]) =>
    scalarsOf<Value>(owner)(statement, ...values);
  return {
    select,
    /** Returns the only column of all rows. */
    scalars,
    /** Returns the only column of the first row. Throws if there is no row. */
    async scalar<Value>(statement: TemplateStringsArray, ...values: unknown[]): Promise<Value> {
      const [value] = await scalars<Value>(statement, ...values);
      if (value === undefined) throw new Error(`no row: ${statement.join('…')}`);
      return value;
    },
    /** Returns the audit entries about a target whose action starts with `action`. */
    auditOf: (targetId: string, action = '') =>
      select<AuditEntry>`select action, actor_id, actor_label, detail from audit_log
         where target_id = ${targetId} and starts_with(action, ${action}) order by id`,
    async invitationState(id: string) {
      const [row] = await select<{ status: string; redeemed_by: string | null }>`
        select status, redeemed_by from invitations where id = ${id}`;
      return row;
    },
  };
}
