-- Messages are no longer sent in an order: drops the indexes that served the order of messages about one object, and the URL
-- versions of migration 036, whose columns remain for version 1.0.0. New messages are due since 1970, so that test messages and
-- messages that are sent again (`-infinity`) precede them.
drop index webhook_messages_object, webhook_messages_moved;
alter table webhook_messages alter due_at set default 'epoch';
