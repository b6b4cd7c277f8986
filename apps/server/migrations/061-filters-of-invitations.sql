-- The filters by language and by the time of the mail read the whole table. A BRIN index has an entry for each megabyte, so that it costs
-- nearly nothing at an insert; invitations are mailed in the order of their rows.
create index invitations_language on invitations (language);
create index invitations_mailed_at on invitations using brin (mailed_at) with (autosummarize = on);

-- No statement uses these: filters compare lower(created_by). The server finds the matching values in (created_by, id) and (invited_by, id).
drop index invitations_created_by_words;
drop index people_invited_by_words;
