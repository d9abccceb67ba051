-- Runs beside servers of the version before: no (they would make messages without charging for them, and charge a whole hold for an answer)
--
-- What a message over a built-in channel costs a sub-account. Both columns have a constant default, so that no row is written.

-- In units of a ten-thousandth of a credit; set by the agency.
alter table channels
  add column credits_per_message bigint not null default 0,
  add constraint channels_credits_per_message_check check (credits_per_message between 0 and 10000000);

-- Of what is held for an answer, the part for the message that carries it.
alter table holds
  add column for_message bigint not null default 0,
  add constraint holds_for_message_check check (for_message between 0 and amount);
