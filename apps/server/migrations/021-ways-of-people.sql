-- Earlier checksum: 77338c19cdae51210c1bc4405504f89af786e622e68cf65b6277f8cb013fb6a9
-- Sign-in methods of each person, for the list of people: their ids in alphabetical order, separated by commas.

alter table people add column ways text not null default '';
update people set ways = theirs.ways
from (select person_id, string_agg(distinct way, ', ' order by way) as ways from identities group by person_id) theirs
where id = person_id;
create index people_ways on people (ways, id);

-- Updates `ways` after any statement that adds or deletes identities. A new person's row has its final `ways` already.
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
