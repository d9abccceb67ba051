-- Runs beside servers of the version before: yes
--
-- The rate limit across machines: the current window of each key, and how much of its limit the machines have leased. Used
-- with DATABASE_URL only. Unlogged: it is written often and worth a minute; after a crash of the database the windows begin
-- anew. `number` tells the windows of a key apart. The last three columns are of the last lease: what it asked for and got.
create unlogged table rate_windows (
  key_hash bytea primary key,
  number integer not null,
  ends_at timestamptz not null,
  quota integer not null,
  leased integer not null,
  wanted integer not null,
  most integer not null,
  granted integer not null
) with (fillfactor = 50);
