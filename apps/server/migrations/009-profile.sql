-- Earlier checksum: 6fdbc5bca49f2ae9a7d2bcdf4547244279fa52f80e6d9159bad5fbebcbaa6a32
-- Preferences of people, and the time up to which their sign-ins are ended.

alter table people
  -- Id of a theme of the web app.
  add column theme text check (length(theme) <= 40),
  -- If null, the browser's language is used, and in mails the language of the person's invitation.
  add column language text check (length(language) <= 35),
  -- Sign-ins up to this time, by the provider's clock, are ended.
  add column tokens_valid_after timestamptz;
