-- Earlier checksum: 9f5d0b00803753090622f5b5e70444e8372866b9e731f5c1392a78bb70db6f23
-- Several sign-in methods per person, identity migrations (`moves`), and sign-in transactions for other purposes.

-- Public identifier, not a secret.
alter table identities add column id uuid not null default gen_random_uuid();

-- Identity migrations: people who are asked to use another sign-in method, by a personal link.
create table moves (
  id uuid primary key,
  person_id uuid not null references people (id) on delete cascade,
  -- Copies of columns of `people` whose values never change, so that indexes of this table can sort a million
  -- migrations.
  email text not null,
  display_name text not null,
  way text not null,
  code_hash bytea not null constraint moves_code unique,
  -- An administrator, who may have been removed.
  made_by uuid not null,
  made_at timestamptz not null,
  -- 30 days after the newest mail.
  expires_at timestamptz not null,
  mail text not null,
  mail_error text,
  reminded_at timestamptz,
  opened_at timestamptz,
  moved_at timestamptz,
  undone_at timestamptz,
  -- The identity added by the migration, deleted when it is canceled. Null if the person already had it.
  identity_id uuid,
  email_folded text not null generated always as (lower(email)) stored,
  display_name_folded text not null generated always as (lower(display_name)) stored,
  search text not null generated always as (lower(display_name || ' ' || email)) stored
) with (fillfactor = 80);
create unique index moves_open on moves (person_id) where moved_at is null and undone_at is null;
create index moves_person on moves (person_id);
create index moves_email on moves (email_folded, id);
create index moves_display_name on moves (display_name_folded, id);
create index moves_way on moves (way, id);
create index moves_mail on moves (mail, id);
create index moves_made_at on moves (made_at, id);
create index moves_moved_at on moves (moved_at, id);
create index moves_search on moves using gin (search gin_trgm_ops);

alter table sign_in_transactions
  add column purpose text not null default 'sign-in',
  -- The person and session of the transaction, if known at its start. The transaction is deleted with the person or the
  -- session.
  add column person_id uuid references people (id) on delete cascade,
  add column session_id uuid references sessions (id) on delete cascade,
  add column move_id uuid references moves (id) on delete cascade;
create index sign_in_transactions_person on sign_in_transactions (person_id) where person_id is not null;
create index sign_in_transactions_session on sign_in_transactions (session_id) where session_id is not null;
create index sign_in_transactions_move on sign_in_transactions (move_id) where move_id is not null;
