-- When somebody last proved who they are: a provider at which they are signed in already lets them in without asking. Null where it does
-- not tell.
alter table sessions add column proven_at timestamptz;
