-- Earlier checksum: e3a77b730a33907e6a1438965589e1c7b024018c6a5be54fa5b6a4fdc7ecb042
-- Completed onboarding steps that leave no other record. One row. Sites that already have people skip onboarding.

create table first_day (
  is_only boolean primary key default true check (is_only),
  mail_tested_at timestamptz,
  provider_checked_at timestamptz,
  dismissed_at timestamptz
);
insert into first_day (dismissed_at) select case when exists (select from people) then now() end;
