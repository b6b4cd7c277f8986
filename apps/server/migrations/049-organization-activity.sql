-- Lists of the activity of an organization.
create index audit_log_organization on audit_log ((detail #>> '{organization,id}'), id)
  where detail #>> '{organization,id}' is not null;
