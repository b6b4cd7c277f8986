-- Earlier checksum: fae4ab5ad8c9c5a7a372193f19fce150c75b33a63526156aef3f8296a839d265
-- Thumbnails of pictures, made by the browser that uploaded them.

create table attachment_thumbnails (
  attachment_id uuid primary key references attachments (id) on delete cascade,
  type text not null check (type in ('image/webp', 'image/jpeg', 'image/png')),
  sha256 bytea not null,
  bytes bytea not null
);

-- Counts added thumbnails, for the refresh of open lists. They have no entry in the audit log: each is added once, by the
-- uploader.
create sequence attachment_changes;
create function note_attachment_change() returns trigger language plpgsql as $$
begin
  perform nextval('attachment_changes');
  return null;
end $$;
create trigger attachment_thumbnails_added after insert on attachment_thumbnails
  for each statement execute function note_attachment_change();
