-- Earlier checksum: db9e04ef44a125db6092d3edc6ff85e8c82cb1f54b3579b2a2a8157839fce50a
-- Sign-ins of about the last second, which `people` does not include yet (people/sign-in-buffer.ts). A row of `people`
-- is in twenty indexes, because lists are sorted and filtered by all its columns, and a sign-in must not wait for their
-- updates. This table has no index, because every read needs all its rows.
create table noted_sign_ins (
  person_id uuid not null,
  at timestamptz not null
);
