-- Searches find `Zoë O’Brien` by `zoe o'brien`, and the other way round. The argument is in lower case. Apostrophes and the two lower-case
-- forms of a Greek sigma become one.
create function without_accents(value text) returns text language sql immutable strict parallel safe
  return replace(translate(regexp_replace(normalize(value, nfd), '[\u0300-\u036f]', '', 'g'),
    'øłđı‘’ʼς', 'oldi''''''σ'), 'ß', 'ss');

-- Each index has only the rows that may have accents: those with letters outside ASCII.
create index people_search_without_accents on people
  using gin (without_accents(search) gin_trgm_ops) where octet_length(search) <> length(search);
create index removed_people_search_without_accents on removed_people
  using gin (without_accents(search) gin_trgm_ops) where octet_length(search) <> length(search);
create index invitations_search_without_accents on invitations
  using gin (without_accents(search) gin_trgm_ops) where octet_length(search) <> length(search);
create index identity_migrations_search_without_accents on identity_migrations
  using gin (without_accents(search) gin_trgm_ops) where octet_length(search) <> length(search);
create index organizations_search_without_accents on organizations
  using gin (without_accents(search) gin_trgm_ops) where octet_length(search) <> length(search);
create index attachments_search_without_accents on attachments
  using gin (without_accents(search) gin_trgm_ops) where octet_length(search) <> length(search);
create index audit_log_search_without_accents on audit_log
  using gin (without_accents(search) gin_trgm_ops) where octet_length(search) <> length(search);

-- Without statistics of all rows, the planner would expect half a percent of them to match.
create statistics people_search_without_accents on (without_accents(search)) from people;
create statistics invitations_search_without_accents on (without_accents(search)) from invitations;
create statistics attachments_search_without_accents on (without_accents(search)) from attachments;
create statistics audit_log_search_without_accents on (without_accents(search)) from audit_log;
-- An empty table is left out: the planner would expect it to remain empty.
do $$
declare
  filled regclass;
begin
  for filled in select stxrelid from pg_statistic_ext join pg_class on pg_class.oid = stxrelid
    where stxname like '%\_search_without_accents' and reltuples > 0
  loop
    execute format('analyze %s', filled);
  end loop;
end $$;
