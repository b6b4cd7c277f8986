import { isSuspendedSql } from '../../../platform/http/organization-access.ts';

/**
 * SQL condition: `$viewer` and a person belong to one organization, or both to none. `person` is an SQL expression, null for a removed
 * person. "Everyone" means these people: what is shared within one organization must not be seen in another. True for all on a site
 * without members of organizations. A suspended organization counts only in that its members have one: this case is evaluated once per statement, not for each file.
 */
export const inCommonOrganization = (
  person: string,
) => `case when not exists (select from memberships) then true
  when exists (select from memberships where person_id = $viewer) then ${person} = any(array(
    select theirs.person_id from memberships mine join memberships theirs using (organization_id)
      join organizations on organizations.id = organization_id
    where mine.person_id = $viewer and not ${isSuspendedSql('now()')}))
  else not exists (select from memberships where person_id = ${person}) end`;
