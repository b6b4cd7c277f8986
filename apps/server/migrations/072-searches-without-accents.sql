-- Locks: invitations, people, removed_people, identity_migrations, organizations, attachments, audit_log in share mode
-- Searches find `Zoë O’Brien` by `zoe o'brien`, and the other way round. The argument is in lower case. Apostrophes and the two lower-case
-- forms of a Greek sigma become one.
create function without_accents(value text) returns text language sql immutable strict parallel safe
  return replace(translate(regexp_replace(normalize(value, nfd), '[\u0300-\u036f]', '', 'g'),
    'øłđı‘’ʼς', 'oldi''''''σ'), 'ß', 'ss');

-- Each index has only the rows that may have accents: those with letters outside ASCII. The planner knows their share by the statistics,
-- which it uses for `is true` only.
create index people_search_without_accents on people
  using gin (without_accents(search) gin_trgm_ops) where (octet_length(search) <> length(search)) is true;
create index removed_people_search_without_accents on removed_people
  using gin (without_accents(search) gin_trgm_ops) where (octet_length(search) <> length(search)) is true;
create index invitations_search_without_accents on invitations
  using gin (without_accents(search) gin_trgm_ops) where (octet_length(search) <> length(search)) is true;
create index identity_migrations_search_without_accents on identity_migrations
  using gin (without_accents(search) gin_trgm_ops) where (octet_length(search) <> length(search)) is true;
create index organizations_search_without_accents on organizations
  using gin (without_accents(search) gin_trgm_ops) where (octet_length(search) <> length(search)) is true;
create index attachments_search_without_accents on attachments
  using gin (without_accents(search) gin_trgm_ops) where (octet_length(search) <> length(search)) is true;
create index audit_log_search_without_accents on audit_log
  using gin (without_accents(search) gin_trgm_ops) where (octet_length(search) <> length(search)) is true;

create statistics people_search_outside_ascii on ((octet_length(search) <> length(search))) from people;
create statistics invitations_search_outside_ascii on ((octet_length(search) <> length(search))) from invitations;
create statistics attachments_search_outside_ascii on ((octet_length(search) <> length(search))) from attachments;
create statistics audit_log_search_outside_ascii on ((octet_length(search) <> length(search))) from audit_log;
-- An empty table is left out: the planner would expect it to remain empty.
do $$
declare
  filled regclass;
begin
  for filled in select stxrelid from pg_statistic_ext join pg_class on pg_class.oid = stxrelid
    where stxname like '%\_search\_outside\_ascii' and reltuples > 0
  loop
    execute format('analyze %s', filled);
  end loop;
end $$;
