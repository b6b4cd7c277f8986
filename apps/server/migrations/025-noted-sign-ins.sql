-- Sign-ins of which people's rows do not tell yet, for about a second (people/noted-sign-ins.ts): a row of people is in twenty indexes,
-- since lists are sorted and filtered by all of it, and whoever signs in need not wait for those. Without an index: all of it is
-- read each time.
create table noted_sign_ins (
  person_id uuid not null,
  at timestamptz not null
);
