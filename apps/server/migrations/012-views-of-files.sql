-- Earlier checksum: 4dfbab9b110fc68288464110f4332287e7d9ecf5986f861a9b9f6f3f461d8534
-- The contract defines which grids have views, now including the list of files. The database no longer repeats it.

alter table grid_views drop constraint grid_views_grid_check;
alter table grid_states drop constraint grid_states_grid_check;
