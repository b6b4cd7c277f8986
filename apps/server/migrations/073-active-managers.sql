-- Locks: organizations, memberships in access exclusive mode
-- Managers are no longer counted: those who are disabled cannot manage. Statements look for active ones.
drop trigger memberships_changed on memberships;
create or replace function count_memberships() returns trigger
  language plpgsql security definer set search_path from current as $$
declare is_full boolean;
begin
  if tg_op = 'INSERT' then
    with counted as (
      update organizations set member_count = member_count + members
      from (select organization_id, count(*) as members from added group by organization_id order by organization_id) changed
      where id = organization_id
      returning member_count > seat_limit as is_over)
    select bool_or(is_over) into is_full from counted;
    if is_full then
      raise exception 'the organization is full' using errcode = 'check_violation', constraint = 'memberships_seat_limit';
    end if;
  else
    update organizations set member_count = member_count - members
    from (select organization_id, count(*) as members from removed group by organization_id order by organization_id) changed
    where id = organization_id;
  end if;
  return null;
end $$;
alter table organizations drop column manager_count;
