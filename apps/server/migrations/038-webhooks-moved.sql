-- Earlier checksum: 32c4e0ba9d5c35d0af0e94bf5685e380c3a39d6d63ffaa3b3b61c5c1487512a8
-- Messages attempted at an earlier URL of their webhook, which are due although their `due_at` is in the future.
create index webhook_messages_moved on webhook_messages (webhook_id, moves) where state = 'waiting' and attempts > 0;
