/** Logos of organizations (R1, R10). */
import { randomUUID } from 'node:crypto';
import { changeOrganizationLogo } from '@vestibule/contract/organizations/logo';
import { requestErrors } from '@vestibule/contract/request-errors';
import { logoMaximumBytes, settingsErrors } from '@vestibule/contract/settings';
import type { FastifyInstance } from 'fastify';
import { organizationAudit } from '../../platform/audit/audit-log.ts';
import { execute, rawSql, rowOf, type Database } from '../../platform/database/database.ts';
import { fail, required } from '../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../platform/http/implement.ts';
import { bytesUnlessCopied, copiesOf, readUploadedPicture, sendPicture } from '../../platform/picture.ts';
import { findOrganizationLogos } from '../invitations/organization-logos.ts';
import { isUuid } from '../../platform/database/new-id.ts';

export const logoRoutes = ({ database }: { database: Database }): Implementation[] => [
  implement(changeOrganizationLogo, ({ body, ...call }) => {
    const { organization } = call;
    const picture =
      body.picture === null
        ? null
        : required(readUploadedPicture(body.picture, logoMaximumBytes), settingsErrors.logoUnusable);
    return database.transaction(async (transaction) => {
      if (picture)
        await execute(transaction, {
          // The key stays, so that mails that were sent before show the present logo.
          text: `insert into organization_logos (organization_id, key, hash, type, width, height, bytes)
                 values ($1, $2, $3, $4, $5, $6, $7)
                 on conflict (organization_id) do update set hash = excluded.hash, type = excluded.type, width = excluded.width,
                   height = excluded.height, bytes = excluded.bytes`,
          values: [
            organization.id,
            // Not newId(): the key must be random, not ordered by time.
            randomUUID(),
            picture.hash,
            picture.type,
            picture.width,
            picture.height,
            picture.bytes,
          ],
        });
      else
        await execute(transaction)`
          delete from organization_logos where organization_id = ${organization.id}`;
      const action = picture ? 'organization.logo_changed' : 'organization.logo_removed';
      await organizationAudit.record(transaction, organization, action, call);
      const logoOf = await findOrganizationLogos(transaction, [organization.id]);
      return { logo: logoOf(organization.id) };
    });
  }),
];

/** Serves logos to visitors: invitees have no account yet, and mail programs send no token. */
export function serveOrganizationLogos(app: FastifyInstance, database: Database): void {
  app.get<{ Params: { key: string } }>(
    '/api/organization-logos/:key',
    { config: { access: 'public' } },
    async (request, reply) => {
      const { key } = request.params;
      const logo = isUuid(key)
        ? await rowOf<{ hash: string; type: string; bytes: Buffer | null }>(database, {
            name: 'read-organization-logo',
          })`
            select hash, type, ${rawSql((copies) => bytesUnlessCopied('hash', copies), copiesOf(request))}
            from organization_logos where key = ${key}`
        : null;
      if (!logo) throw fail(requestErrors.notFound);
      return sendPicture(reply, logo);
    },
  );
}
