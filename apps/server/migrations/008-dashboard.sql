-- Earlier checksum: b53682da9d636c829458fbf67fcac5e92fdd402268c50efbddd9cf0886bad800
-- Counts for the dashboard, maintained by triggers because counting a million rows takes too long.

-- A row adds `count` to the quarter of an hour that starts at `at`. Days of every time zone consist of such quarters.
-- Rows are only inserted, so that transactions do not wait for each other; a timer adds them up (dashboard/counts.ts).
-- An invitation counts in the quarter of its creation, a pending one also in the quarter of its expiry. People count in
-- the quarter of the epoch.
create table counts (
  what text not null check (what in ('person_active', 'person_disabled', 'invitation_created', 'invitation_mailed',
    'invitation_opened', 'invitation_redeemed', 'invitation_expires', 'sign_in')),
  at timestamptz not null,
  count integer not null
);
create index counts_what on counts (what, at) include (count);

create function quarter_of(moment timestamptz) returns timestamptz
  language sql immutable parallel safe strict
  return date_bin('15 minutes', moment, 'epoch'::timestamptz);

create function count_people() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into counts select 'person_' || status, 'epoch', count(*) from came group by status;
  elsif tg_op = 'DELETE' then
    insert into counts select 'person_' || status, 'epoch', -count(*) from gone group by status;
  else
    insert into counts values ('person_' || new.status, 'epoch', 1), ('person_' || old.status, 'epoch', -1);
  end if;
  return null;
end $$;
create trigger people_counted_in after insert on people
  referencing new table as came for each statement execute function count_people();
create trigger people_counted_out after delete on people
  referencing old table as gone for each statement execute function count_people();
-- Only for changes of the status: `people` is updated often, for example last_seen_at.
create trigger people_counted after update of status on people
  for each row when (old.status <> new.status) execute function count_people();

-- Returns the counts to which an invitation belongs, with their quarters.
create function invitation_counts(
  status text, created_at timestamptz, expires_at timestamptz, mailed_at timestamptz, opened_at timestamptz
) returns table (what text, at timestamptz) language sql immutable parallel safe as $$
  select one.what, quarter_of(one.at) from (values
    ('invitation_created', created_at, true),
    ('invitation_mailed', created_at, mailed_at is not null),
    ('invitation_opened', created_at, opened_at is not null),
    ('invitation_redeemed', created_at, status = 'redeemed'),
    ('invitation_expires', expires_at, status = 'pending')) one (what, at, applies)
  where one.applies
$$;

create function count_invitations() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into counts select what, at, count(*)
    from came, invitation_counts(status, created_at, expires_at, mailed_at, opened_at) group by what, at;
  elsif tg_op = 'DELETE' then
    insert into counts select what, at, -count(*)
    from gone, invitation_counts(status, created_at, expires_at, mailed_at, opened_at) group by what, at;
  else
    insert into counts select what, at, sum(one) from (
      select status, created_at, expires_at, mailed_at, opened_at, 1 as one from came
      union all
      select status, created_at, expires_at, mailed_at, opened_at, -1 from gone) changed,
      invitation_counts(status, created_at, expires_at, mailed_at, opened_at)
    group by what, at having sum(one) <> 0;
  end if;
  return null;
end $$;
create trigger invitations_counted_in after insert on invitations
  referencing new table as came for each statement execute function count_invitations();
create trigger invitations_counted_out after delete on invitations
  referencing old table as gone for each statement execute function count_invitations();
create trigger invitations_counted after update on invitations
  referencing old table as gone new table as came for each statement execute function count_invitations();

-- No trigger on delete: deleted sign-ins remain counted.
create function count_sign_ins() returns trigger language plpgsql as $$
begin
  insert into counts select 'sign_in', quarter_of(at), count(*) from came group by 2;
  return null;
end $$;
create trigger sign_ins_counted after insert on sign_ins
  referencing new table as came for each statement execute function count_sign_ins();

insert into counts select 'person_' || status, 'epoch', count(*) from people group by status;
insert into counts select what, at, count(*)
  from invitations, invitation_counts(status, created_at, expires_at, mailed_at, opened_at) group by what, at;
insert into counts select 'sign_in', quarter_of(at), count(*) from sign_ins group by 2;

-- For the number of mails that failed since an administrator last viewed the dashboard.
alter table invitations add column mail_failed_at timestamptz;
update invitations set mail_failed_at = now() where mail_state = 'failed';
create index invitations_mail_failed on invitations (expires_at, mail_failed_at)
  where status = 'pending' and mail_state = 'failed';
alter table people add column looked_at timestamptz;
