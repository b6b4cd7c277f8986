-- Several ways to sign in, moves from one to another, and sign-ins for another purpose than coming in.

-- By which a person names it; opens nothing.
alter table identities add column id uuid not null default gen_random_uuid();

-- Somebody is asked to sign in by another way from now on, with a personal link.
create table moves (
  id uuid primary key,
  person_id uuid not null references people (id) on delete cascade,
  -- As the person has them, who changes neither; so that a million moves are listed by their own indexes.
  email text not null,
  display_name text not null,
  way text not null,
  code_hash bytea not null constraint moves_code unique,
  -- Of an administrator, who may be gone.
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
  -- What the move added, which goes when it is undone; null where the person had it already.
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
  -- Whom it is about, where that is known from the start; it ends with their session.
  add column person_id uuid references people (id) on delete cascade,
  add column session_id uuid references sessions (id) on delete cascade,
  add column move_id uuid references moves (id) on delete cascade;
create index sign_in_transactions_person on sign_in_transactions (person_id) where person_id is not null;
create index sign_in_transactions_session on sign_in_transactions (session_id) where session_id is not null;
create index sign_in_transactions_move on sign_in_transactions (move_id) where move_id is not null;
