-- Earlier checksum: c9e0cfbd970ca823ed2cfcdbd2e89bcd59100ba253ea866a26b2cd9b2eee22a2
-- For counting the files that are not deleted. All of them have the same key, null, so the index of a million files
-- takes only 7 MB.
drop index attachments_deleted_at;
create index attachments_deleted_at on attachments (deleted_at);
