-- Earlier checksum: 5f10454f8778f75c083641e2590ffda574c4a11d156be19e1417762f7392dc65
-- Time at which the user last authenticated at the provider. It can be earlier than the sign-in, because a provider can
-- respond from its own session without asking the user. Null if the provider does not report it.
alter table sessions add column proven_at timestamptz;
