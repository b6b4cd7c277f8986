-- Earlier checksum: edb7335808196286425fc934ec19520ed847996afa55fb0704289576646fc503
-- For refused sign-ins, whose message depends on the newest invitation to the address. Pending invitations are not
-- included, because the index invitations_one_pending has them: creating an invitation writes only that index.
create index invitations_ended_of_address on invitations (email_canonical, created_at) where status <> 'pending';
