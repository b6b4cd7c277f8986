-- Earlier checksum: aa692e8da15e4646b5f2739b829c9835a40766dabe4d31059bd9253de5f2130f
-- Removes invisible characters from names, as every input does from now on (the contract's rules/clean-text.ts):
-- direction marks let one name look like another.
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
