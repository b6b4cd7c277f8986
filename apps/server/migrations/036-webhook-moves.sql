-- How often a webhook got another address, and how often it had when a message was tried last: what was tried at an earlier address
-- is due at once. Of hundreds of thousands that may wait, a change of the address writes none.
alter table webhooks add moves integer not null default 0;
alter table webhook_messages add moves integer not null default 0;
