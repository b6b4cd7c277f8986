-- Messages that were tried at an earlier address of their webhook: which are due although they wait for later.
create index webhook_messages_moved on webhook_messages (webhook_id, moves) where state = 'waiting' and attempts > 0;
