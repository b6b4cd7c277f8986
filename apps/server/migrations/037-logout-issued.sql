-- When the provider issued the token that ended a person's sign-ins, by its own clock: whoever signed in there later is not meant.
alter table logout_token_ids add issued_at timestamptz;
