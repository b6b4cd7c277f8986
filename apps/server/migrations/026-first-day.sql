-- What an administrator has done on the first day and nothing else remembers. One row. Where somebody is inside already, that day is over.

create table first_day (
  is_only boolean primary key default true check (is_only),
  mail_tested_at timestamptz,
  provider_checked_at timestamptz,
  dismissed_at timestamptz
);
insert into first_day (dismissed_at) select case when exists (select from people) then now() end;
