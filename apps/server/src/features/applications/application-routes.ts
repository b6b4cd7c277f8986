/** Routes that register applications, and list those that the caller may open. */
import {
  applicationErrors,
  applicationIconMaximumBytes,
  applicationsMaximum,
  changeApplication,
  checkApplication,
  createApplication,
  deleteApplication,
  listApplications,
  type NamedAccess,
} from '@vestibule/contract/applications';
import { getApplicationName, listMyApplications } from '@vestibule/contract/applications/open';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { FastifyInstance } from 'fastify';
import { auditOf } from '../../platform/audit/audit-log.ts';
import { isLoopback } from '../../platform/config/addresses.ts';
import {
  execute,
  rawSql,
  rowOf,
  rowsOf,
  type CoreDeps,
  type Database,
} from '../../platform/database/database.ts';
import { fail, required } from '../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../platform/http/implement.ts';
import { readUploadedPicture, sendPicture } from '../../platform/picture.ts';
import type { CheckSetup } from './check-setup.ts';
import {
  endApplicationSessions,
  findApplication,
  findIcon,
  insertApplication,
  listRows,
  listRowsFor,
  readAccess,
  storeAccess,
  storeIcon,
  toApplications,
  toSummary,
  updateApplication,
} from './application-store.ts';
import { isUuid } from '../../platform/database/new-id.ts';

const listedGroups = 500;

export function applicationRoutes(
  deps: CoreDeps & { publicUrl: string; checkSetup: CheckSetup },
): Implementation[] {
  const { database, publicUrl, now, newId } = deps;

  /** Returns the origin of an address; throws if the site cannot protect it. */
  function requireUsableAddress(address: string): string {
    const { protocol, hostname, origin } = new URL(address);
    if (protocol !== 'https:' && !isLoopback(hostname)) throw fail(applicationErrors.notEncrypted);
    // The browser would send the cookie of this site's session to the application.
    if (hostname === new URL(publicUrl).hostname) throw fail(applicationErrors.siteHost);
    return origin;
  }

  const read = async (id: string) => {
    const [application] = await toApplications(database, [await findApplication(database, id)]);
    if (!application) throw fail(applicationErrors.notFound);
    return application;
  };

  return [
    implement(listApplications, async () => ({
      rows: await toApplications(database, await listRows(database)),
      groups: await rowsOf<{ id: string; name: string }>(database)`
        select id, display_name as name from directory_groups order by lower(display_name), id
          limit ${rawSql(listedGroups)}`,
    })),

    implement(createApplication, async ({ body, ...call }) => {
      const address = requireUsableAddress(body.address);
      const icon = readIcon(body.icon);
      const id = newId();
      await database.transaction(async (transaction) => {
        if ((await listRows(transaction)).length >= applicationsMaximum)
          throw fail(applicationErrors.tooMany);
        const createdAt = new Date(now());
        await insertApplication(transaction, {
          id,
          name: body.name,
          address,
          createdAt,
          createdBy: call.caller.email,
        });
        if (icon) await storeIcon(transaction, id, icon);
        await storeAccess(transaction, id, body.access);
        const detail = { address, access: body.access };
        await applicationAudit.record(transaction, { ...body, id }, 'application.created', call, detail);
      });
      return read(id);
    }),

    implement(changeApplication, async ({ params: { applicationId: id }, body, ...call }) => {
      const newAddress = body.address === undefined ? undefined : requireUsableAddress(body.address);
      const icon = body.icon === undefined ? undefined : readIcon(body.icon);
      await database.transaction(async (transaction) => {
        const before = await findApplication(transaction, id, 'for update');
        if (body.version !== undefined && body.version !== before.version)
          throw fail(applicationErrors.changed);
        const after = { name: body.name ?? before.name, address: newAddress ?? before.address };
        await updateApplication(transaction, id, after);
        if (after.address !== before.address) await endApplicationSessions(transaction, id);
        if (icon !== undefined) await storeIcon(transaction, id, icon);
        const accessBefore = await readAccess(transaction, [id]);
        if (body.access) await storeAccess(transaction, id, body.access);
        const detail = {
          before: {
            name: before.name,
            address: before.address,
            ...(body.access && { access: (accessBefore.get(id) ?? []).map(withoutNames) }),
          },
          after: { ...after, ...(body.access && { access: body.access }) },
        };
        await applicationAudit.record(transaction, { ...after, id }, 'application.changed', call, detail);
      });
      return read(id);
    }),

    implement(deleteApplication, ({ params: { applicationId: id }, ...call }) =>
      database.transaction(async (transaction) => {
        const { name, address } = await findApplication(transaction, id, 'for update');
        await execute(transaction)`delete from applications where id = ${id}`;
        await applicationAudit.record(transaction, { id, name }, 'application.removed', call, { address });
        return { id };
      }),
    ),

    implement(checkApplication, async ({ params: { applicationId } }) => {
      const { address } = await findApplication(database, applicationId);
      return { steps: await deps.checkSetup(address) };
    }),

    implement(getApplicationName, async ({ query: { address } }) => {
      const found = await rowOf<{ name: string }>(database, { name: 'get-application-name' })`
        select name from applications where address = ${address}`;
      return { name: found?.name ?? null };
    }),

    implement(listMyApplications, async ({ caller }) => ({
      rows: (await listRowsFor(database, caller, new Date(now()))).map(toSummary),
    })),
  ];
}

const applicationAudit = auditOf('application', 'name');

/** Returns an access entry as callers send it. Names are personal data, which the audit log does not need. */
const withoutNames = ({ kind, role, organizationId, roleId, groupId, personId }: NamedAccess) => ({
  kind,
  ...(role && { role }),
  ...(kind === 'organization' && { organizationId, roleId }),
  ...(groupId && { groupId }),
  ...(personId && { personId }),
});

function readIcon(base64: string | null) {
  if (base64 === null) return null;
  return required(readUploadedPicture(base64, applicationIconMaximumBytes), applicationErrors.iconUnusable);
}

/** Serves icons to all visitors: image elements send no access token. The address contains a random id. */
export function serveIcons(app: FastifyInstance, database: Database): void {
  app.get<{ Params: { applicationId: string } }>(
    '/api/applications/:applicationId/icon',
    { config: { access: 'public' } },
    async ({ params: { applicationId } }, reply) => {
      const icon = isUuid(applicationId) ? await findIcon(database, applicationId) : null;
      if (!icon) throw fail(requestErrors.notFound);
      // The address changes with the icon.
      return sendPicture(reply, icon, { 'cache-control': 'public, max-age=31536000, immutable' });
    },
  );
}
