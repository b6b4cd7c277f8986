-- Earlier checksum: aa97e7fc4c39bfcd4f627307333116e0deacc8c572ed65511faee3b2fd5638c2
-- Normalizes texts to NFC, as every input does from now on (the contract's rules/clean-text.ts). Only different values
-- are written. Addresses are NFC already, because others were refused. The audit log is sealed and not changed; its list
-- searches both spellings.
do $$
declare
  field record;
  stored record;
begin
  for field in select * from (values
    ('people', 'display_name'), ('removed_people', 'display_name'), ('moves', 'display_name'),
    ('invitations', 'name'), ('attachments', 'name'), ('attachments', 'owner_name'), ('attachment_uploads', 'name'),
    ('personal_tokens', 'name'), ('passkeys', 'name'), ('webhooks', 'description'),
    ('directory_users', 'external_id'), ('directory_users', 'display_name'), ('directory_users', 'formatted_name'),
    ('directory_users', 'given_name'), ('directory_users', 'family_name'), ('directory_groups', 'external_id')
  ) as fields (of_table, of_column) loop
    execute format('update %I set %2$I = normalize(%2$I, nfc) where %2$I is not nfc normalized',
      field.of_table, field.of_column);
  end loop;

  -- Unique regardless of case: a row is skipped if another row has its normalized text.
  for field in select * from (values
    ('directory_users', 'user_name'), ('directory_groups', 'display_name'), ('grid_views', 'name')
  ) as fields (of_table, of_column) loop
    for stored in execute format('select id from %I where %I is not nfc normalized',
      field.of_table, field.of_column) loop
      begin
        execute format('update %I set %2$I = normalize(%2$I, nfc) where id = $1', field.of_table, field.of_column)
          using stored.id;
      exception when unique_violation then
        raise notice '% % stays, since another row has its text', field.of_table, stored.id;
      end;
    end loop;
  end loop;
end $$;
