-- Who is refused at the door is told why by the newest invitation of that address: found by an index, however many there are.
-- Pending ones have theirs (invitations_one_pending), so that inviting writes no more than before.
create index invitations_ended_of_address on invitations (email_canonical, created_at) where status <> 'pending';
