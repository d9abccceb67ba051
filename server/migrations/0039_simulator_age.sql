-- Runs beside servers of the version before: yes
--
-- What the simulator showed is kept as long as messages are; its oldest events are found by this.
create index simulator_events_by_age on simulator_events (account_id, at);
