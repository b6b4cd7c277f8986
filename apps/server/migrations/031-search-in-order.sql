-- People are sorted by names and addresses while they are searched for: these orders hold what is searched, so that thousands of
-- people are looked through without their rows, which lie anywhere. The longest name and address take 2,400 of the 2,704 bytes
-- that an entry may have.
drop index people_display_name;
drop index people_email;
create index people_display_name on people (display_name_folded, id) include (search);
create index people_email on people (email_folded, id) include (search);
