import { getUsage, listUploads, uploadLifetimeHours } from '@vestibule/contract/attachments';
import type { Config } from '../../../platform/config/read-config.ts';
import { rowsOf, type Database } from '../../../platform/database/database.ts';
import { implement, type Implementation } from '../../../platform/http/implement.ts';
import { readDeletedBytes, readUsage } from '../files/attachment-store.ts';
import type { UploadRow } from './upload-rows.ts';

export function uploadRoutes(deps: {
  database: Database;
  limits: Config['attachments']['limits'];
  scans: boolean;
}): Implementation[] {
  const { database } = deps;
  return [
    implement(listUploads, async ({ caller }) => {
      const rows = await rowsOf<UploadRow>(database, {
        text: 'select * from attachment_uploads where owner_id = $1 order by created_at desc limit 100',
        values: [caller.id],
      });
      return {
        rows: rows.map(({ id, name, size, received, created_at: createdAt, touched_at: touchedAt }) => ({
          id,
          name,
          size,
          received,
          createdAt: createdAt.toISOString(),
          expiresAt: new Date(touchedAt.getTime() + uploadLifetimeHours * 3_600_000).toISOString(),
        })),
      };
    }),

    implement(getUsage, async ({ caller }) => {
      const [{ mine: ownUsage, all: siteUsage }, deleted] = await Promise.all([
        readUsage(database, caller.id),
        readDeletedBytes(database, caller.id),
      ]);
      const { fileBytes, personBytes, siteBytes } = deps.limits;
      return {
        mine: { used: ownUsage.bytes, deleted, files: ownUsage.files, quota: personBytes },
        all: { used: siteUsage.bytes, quota: siteBytes },
        fileMaximum: fileBytes,
        scanned: deps.scans,
      };
    }),
  ];
}
