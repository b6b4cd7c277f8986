-- Locks: organizations in access exclusive mode
-- The expiry of which the managers were notified by mail.
alter table organizations add column expiry_mailed_for timestamptz;
