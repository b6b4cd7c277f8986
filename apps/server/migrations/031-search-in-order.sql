-- Earlier checksum: d27a6531b630b1fe80366b119f8a327f99833755c8d1e116ef7aedd9c2ed717f
-- For searches in lists of people sorted by name or address: the indexes include the searched text, so that thousands of
-- people are filtered without reading their rows. The longest name and address take 2,400 of the 2,704 bytes allowed in
-- an entry.
drop index people_display_name;
drop index people_email;
create index people_display_name on people (display_name_folded, id) include (search);
create index people_email on people (email_folded, id) include (search);
