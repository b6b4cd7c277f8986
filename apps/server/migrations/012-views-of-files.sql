-- Which lists have views is said in one place, the contract: the list of files now does too.

alter table grid_views drop constraint grid_views_grid_check;
alter table grid_states drop constraint grid_states_grid_check;
