/** Types of records with files, and the parts of "my data" with these files. */
import type { Extension, TypeOfRecord } from '../../platform/extensions/extension.ts';

export const typesOfRecords = ({ name: extension, files = {} }: Extension): TypeOfRecord[] =>
  Object.entries(files).map(([type, rules]) => ({ ...rules, type, extension }));

/** Returns the statements that read the files that person `$1` has added to records, one JSON text per row. */
export const recordFileParts = (extension: Extension) =>
  typesOfRecords(extension).map(({ type }) => ({
    name: `${extension.name}/files of ${type}`,
    text: `select to_jsonb(own) from (
             select attachments.id, record_id as "recordId", organizations.name as organization, attachments.name, type, size,
               encode(sha256, 'hex') as sha256, attachments.created_at as "createdAt"
             from attachments join organizations on organizations.id = organization_id
             where owner_id = $1 and record_type = '${type}' order by attachments.created_at, attachments.id) own`,
  }));
