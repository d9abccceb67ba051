-- Runs beside servers of the version before: yes
--
-- What is due is found by its time, and by account in the order of time; what is leased is few, and is found by itself.
-- Parked answers are found by what they wait for, the cheapest first.
create index turns_due on turns (due_at) where lease_token is null;
create index turns_due_in_account on turns (account_id, due_at) where lease_token is null;
create index turns_leased on turns (account_id) where lease_token is not null;
create index turns_parked_by_units on turns (account_id, parked_units, first_at)
  where parked_units is not null and lease_token is null;
drop index turns_due_by_account;
drop index turns_parked;
