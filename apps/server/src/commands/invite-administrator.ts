/**
 * `npm run invite-administrator -- ADDRESS`: prints an invitation of an administrator, for sites whose administrators cannot sign in. A
 * person who has this address becomes an administrator. Uses the environment of the server, which may be running.
 */
import { createShortCodes } from '../features/invitations/link/short-code.ts';
import { inviteAdministrator } from '../features/invitations/create/first-administrator.ts';
import { lockAdministrators } from '../features/people/person-changes.ts';
import { personAudit, serverOrigin } from '../platform/audit/audit-log.ts';
import { readConfig } from '../platform/config/read-config.ts';
import { readSiteKey } from '../platform/config/site-key.ts';
import { StartUpError } from '../platform/config/start-up-error.ts';
import { execute, hasRow, openDatabase, rowOf } from '../platform/database/database.ts';
import { newId } from '../platform/database/new-id.ts';
import { canonicalEmail } from '../platform/identity/canonical-email.ts';
import { connectToDatabase, requireSecrets, runCommand } from './site-command.ts';

const command = 'invite-administrator';

async function run([email = '', ...more]: string[]): Promise<boolean> {
  const emailCanonical = canonicalEmail(email);
  if (emailCanonical === null || more.length > 0)
    throw new StartUpError(`Specify the e-mail address: npm run ${command} -- ADDRESS`);
  await using cleanup = new AsyncDisposableStack();
  const config = readConfig(process.env);
  const secrets = requireSecrets(config);
  const database = openDatabase((await connectToDatabase(config, cleanup)).url, { maxConnections: 1 });
  cleanup.defer(() => database.end());
  const shortCodes = createShortCodes(await readSiteKey(database, secrets));
  const deps = { ...config, lifetimeDays: config.invitationLifetimeDays };
  await database.transaction(async (transaction) => {
    await lockAdministrators(transaction);
    if (!(await hasRow(transaction, 'select from people limit 1', [])))
      throw new StartUpError(
        'This site has no members yet. The server prints the link of the first administrator when it starts; ADMIN_EMAIL is its address.',
      );
    const person = await rowOf<{ id: string; email: string; role: string; status: string }>(transaction)`
      select id, email, role, status from people where email_canonical = ${emailCanonical}`;
    if (person?.status === 'disabled')
      throw new StartUpError(`The account of ${person.email} is disabled. Specify another address.`);
    if (person?.role === 'admin')
      throw new StartUpError(
        `${person.email} is an administrator already, who signs in as usual. Specify another address if that is not possible.`,
      );
    if (!person) {
      const link = await inviteAdministrator(
        { ...deps, database, shortCodes, now: Date.now, newId },
        transaction,
        { email, emailCanonical },
        command,
      );
      return console.log(`Invitation of an administrator, only for ${email}: ${link}`);
    }
    await execute(transaction)`
      update people set role = 'admin', version = version + 1 where id = ${person.id}`;
    await personAudit.record(
      transaction,
      person,
      'person.role_changed',
      { caller: null, origin: serverOrigin(command) },
      { before: { role: person.role }, after: { role: 'admin' } },
    );
    console.log(`${person.email} is an administrator now, and signs in as before.`);
  });
  return true;
}

await runCommand(command, run);
