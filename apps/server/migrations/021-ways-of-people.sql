-- Which ways to sign in somebody has, for the list of people: the ids of the ways with commas, in the order of the alphabet.

alter table people add column ways text not null default '';
update people set ways = theirs.ways
from (select person_id, string_agg(distinct way, ', ' order by way) as ways from identities group by person_id) theirs
where id = person_id;
create index people_ways on people (ways, id);

-- Whoever adds an identity, or takes one away, need not know of it. New people are written with theirs, which changes nothing here.
create function note_ways() returns trigger language plpgsql as $$
begin
  update people set ways = theirs.ways
  from (select changed.person_id, coalesce(string_agg(distinct way, ', ' order by way), '') as ways
        from (select distinct person_id from changed_identities) changed left join identities using (person_id)
        group by changed.person_id) theirs
  where people.id = theirs.person_id and people.ways <> theirs.ways;
  return null;
end $$;
create trigger identities_added after insert on identities
  referencing new table as changed_identities for each statement execute function note_ways();
create trigger identities_removed after delete on identities
  referencing old table as changed_identities for each statement execute function note_ways();
