-- Earlier checksum: 1dd37019f79e7f3098ed7fb641262534efd13f2ef262ac0f13d3a70b5a2bb347
-- Number of times that the URL of a webhook was changed. A message stores this number at its last attempt; if it is
-- lower than that of the webhook, the message is due immediately. So a change of the URL does not have to update the
-- waiting messages, which can be hundreds of thousands.
alter table webhooks add moves integer not null default 0;
alter table webhook_messages add moves integer not null default 0;
