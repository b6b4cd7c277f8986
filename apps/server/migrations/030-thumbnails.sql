-- Small pictures of the pictures among the files, made by the browser that uploaded them.

create table attachment_thumbnails (
  attachment_id uuid primary key references attachments (id) on delete cascade,
  type text not null check (type in ('image/webp', 'image/jpeg', 'image/png')),
  sha256 bytea not null,
  bytes bytea not null
);

-- Tells lists that a file has one now. It stands in no audit log: it comes once, with the upload, from whoever uploaded.
create sequence attachment_changes;
create function note_attachment_change() returns trigger language plpgsql as $$
begin
  perform nextval('attachment_changes');
  return null;
end $$;
create trigger attachment_thumbnails_added after insert on attachment_thumbnails
  for each statement execute function note_attachment_change();
