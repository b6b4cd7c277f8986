-- Earlier checksum: 2a1fe80a9045495ead7fafd05629271851988c74acb163f879d2318ece86d7d0
-- Renames tables to the names used in the code and documents. Servers of version 1.0.0 that run during the update use the
-- old names, as views; a later migration removes these.
alter table moves rename to identity_migrations;
alter table identity_migrations rename made_by to created_by;
alter table identity_migrations rename made_at to created_at;
alter table identity_migrations rename moved_at to completed_at;
alter table identity_migrations rename undone_at to canceled_at;
alter index moves_open rename to identity_migrations_open;
alter index moves_person rename to identity_migrations_person;
alter index moves_email rename to identity_migrations_email;
alter index moves_display_name rename to identity_migrations_display_name;
alter index moves_way rename to identity_migrations_way;
alter index moves_mail rename to identity_migrations_mail;
alter index moves_made_at rename to identity_migrations_created_at;
alter index moves_moved_at rename to identity_migrations_completed_at;
alter index moves_search rename to identity_migrations_search;
alter table identity_migrations rename constraint moves_code to identity_migrations_code;
alter table identity_migrations rename constraint moves_pkey to identity_migrations_pkey;

alter table sign_in_ways rename to sign_in_method_status;
alter table first_day rename to onboarding;
alter table noted_sign_ins rename to sign_in_buffer;
alter table keeping_archives rename to retention_archives;
alter table webhook_clock rename to webhook_cursor;
alter table removed_identities rename to deleted_identities;
alter table sessions rename proven_at to authenticated_at;

create view moves as
  select id, person_id, email, display_name, way, code_hash, created_by as made_by, created_at as made_at, expires_at,
    mail, mail_error, reminded_at, opened_at, completed_at as moved_at, canceled_at as undone_at, identity_id,
    email_folded, display_name_folded, search
  from identity_migrations;
create view sign_in_ways as select * from sign_in_method_status;
create view first_day as select * from onboarding;
create view noted_sign_ins as select * from sign_in_buffer;
create view keeping_archives as select * from retention_archives;
create view webhook_clock as select * from webhook_cursor;
create view removed_identities as select * from deleted_identities;

-- Grants the role of DATABASE_URL, if it is not the owner, access to the views.
do $$
declare
  view record;
  role record;
begin
  for view in select * from (values ('moves', 'identity_migrations'), ('sign_in_ways', 'sign_in_method_status'),
    ('first_day', 'onboarding'), ('noted_sign_ins', 'sign_in_buffer'), ('keeping_archives', 'retention_archives'),
    ('webhook_clock', 'webhook_cursor'), ('removed_identities', 'deleted_identities')) as views (name, behind)
  loop
    for role in select distinct grantee from information_schema.table_privileges
      where table_schema = current_schema() and table_name = view.behind and grantee <> current_user
    loop
      execute format('grant select, insert, update, delete on %I to %I', view.name, role.grantee);
    end loop;
  end loop;
end $$;
