-- The default order of the members of an organization. Without it, a page of an organization with 100,000 members reads and sorts all of them.
create index memberships_joined_at on memberships (organization_id, joined_at, person_id);
