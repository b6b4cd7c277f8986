-- What people choose for themselves, and since when they have to have signed in.

alter table people
  -- The id of a theme as the browser knows it.
  add column theme text check (length(theme) <= 40),
  -- Null: as their browser asks, and in mails as their invitation was.
  add column language text check (length(language) <= 35),
  -- Whoever signed in up to then, by the provider's clock, has to sign in anew.
  add column tokens_valid_after timestamptz;
