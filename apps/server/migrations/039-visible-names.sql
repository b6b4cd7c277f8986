-- Names that were given before texts came without what nobody sees (the contract's rules/invisible.ts): whoever had turned theirs
-- around, to look like somebody else, has it as it is written.
do $$
declare
  unseen constant text :=
    '[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]';
begin
  update people set display_name = coalesce(nullif(trim(regexp_replace(display_name, unseen, '', 'g')), ''), email)
    where display_name ~ unseen;
  update removed_people set display_name = coalesce(nullif(trim(regexp_replace(display_name, unseen, '', 'g')), ''), email)
    where display_name ~ unseen;
  update moves set display_name = coalesce(nullif(trim(regexp_replace(display_name, unseen, '', 'g')), ''), email)
    where display_name ~ unseen;
  update invitations set name = trim(regexp_replace(name, unseen, '', 'g')) where name ~ unseen;
end $$;
