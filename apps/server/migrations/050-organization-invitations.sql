-- Invitations to organizations. An address can have one pending invitation to the site and one to each organization.
alter table invitations
  add column organization_id uuid,
  -- Null in an invitation to an organization: the role was deleted, and the built-in role `member` is given.
  add column organization_role_id text,
  add column created_by_id uuid;
-- Not validated: the new columns are empty in existing rows.
alter table invitations
  add constraint invitations_organization foreign key (organization_id) references organizations (id) on delete set null not valid,
  add constraint invitations_organization_role foreign key (organization_role_id) references organization_roles (id)
    on delete set null not valid;
create index invitations_in_organization on invitations (organization_id, created_at, id) where organization_id is not null;

alter table invitation_batches add column organization_id uuid references organizations (id) on delete set null;
