/** Attachments: upload, storage, scanning, sharing and download of files. */
import type { Logger } from 'pino';
import type { Area } from '../../platform/area.ts';
import type { Config } from '../../platform/config/read-config.ts';
import type { Database } from '../../platform/database/database.ts';
import type { TypeOfRecord } from '../../platform/extensions/extension.ts';
import type { AuthorizeInOrganization } from '../../platform/http/organization-access.ts';
import type { FileStorage } from '../../platform/storage/storage.ts';
import { every } from '../../platform/timers.ts';
import { createFileTickets, createLinks } from './contents/file-ticket.ts';
import { linkRoutes } from './contents/link-routes.ts';
import { serveFiles } from './contents/serve-files.ts';
import { serveThumbnails, thumbnailRoutes } from './contents/thumbnails.ts';
import { cleanUpFiles } from './files/clean-up.ts';
import { createFileLimits } from './files/file-limits.ts';
import { fileRoutes, sharingRoutes } from './files/file-routes.ts';
import { createFindRecordFile, recordFileImplementations } from './files/record-files.ts';
import { deleteDueFiles } from './files/removed-owner.ts';
import type { Scanning } from './scanning/scanning.ts';
import { createFinishUpload } from './uploads/finish-upload.ts';
import { createUploadContent } from './uploads/upload-content.ts';
import { uploadRoutes, registerUploads } from './uploads/uploads.ts';

const minute = 60_000;

export function attachments(deps: {
  config: Pick<Config, 'attachments'>;
  database: Database;
  logger: Logger;
  storage: FileStorage;
  /** Null if no virus scanner is configured. */
  scanning: Scanning | null;
  /** Site key, from which the key of file tickets is derived. */
  secret: Buffer;
  /** Types of records of extensions that have files. */
  typesOfRecords: TypeOfRecord[];
  authorizeInOrganization: AuthorizeInOrganization;
  now: () => number;
  newId: () => string;
}): Area[] {
  const { scanning } = deps;
  const tickets = createFileTickets(deps);
  const context = {
    ...deps,
    limits: deps.config.attachments.limits,
    scans: scanning !== null,
    fileLimits: createFileLimits(deps),
    tickets,
    createLink: createLinks({ ...deps, tickets }),
    findRecordFile: createFindRecordFile(deps.database, deps.typesOfRecords, deps.authorizeInOrganization),
  };
  const uploadContent = createUploadContent(deps);
  const finish = createFinishUpload({ ...context, uploadContent, onStored: (id) => scanning?.check(id) });
  const area: Area = {
    routes: [
      ...fileRoutes(context),
      ...thumbnailRoutes(context),
      ...sharingRoutes(context),
      ...linkRoutes(context),
      ...uploadRoutes(context),
    ],
    plugin(app) {
      registerUploads(app, { ...context, uploadContent, finish });
      serveFiles(app, context);
      serveThumbnails(app, deps.database);
    },
    timers: [
      every(minute, 'deleting files of removed people', () => deleteDueFiles(context)),
      every(minute, 'deleting expired files and uploads', (stopped) => cleanUpFiles({ ...context, stopped })),
      every(minute, 'scanning files for viruses', async () => scanning?.checkAll()),
    ],
  };
  return [
    area,
    ...deps.typesOfRecords.map((ofType) => ({
      extension: ofType.extension,
      routes: recordFileImplementations(context, ofType),
    })),
  ];
}
