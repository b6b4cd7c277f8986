-- The files that are there are counted by way of this: all of them share one key, so the index of a million takes 7 MB.
drop index attachments_deleted_at;
create index attachments_deleted_at on attachments (deleted_at);
