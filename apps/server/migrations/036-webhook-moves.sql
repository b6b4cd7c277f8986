-- Earlier checksum: 1dd37019f79e7f3098ed7fb641262534efd13f2ef262ac0f13d3a70b5a2bb347
-- Number of changes of a webhook's URL, and this number at the last attempt of a message. A message attempted at an
-- earlier URL is due immediately. A change of the URL updates none of the waiting messages, which can be hundreds of
-- thousands.
alter table webhooks add moves integer not null default 0;
alter table webhook_messages add moves integer not null default 0;
