-- From server/src/journey/delivery/transports/simulator/simulator-store.ts, by npm run generate.

insert into simulator_events (account_id, contact_id, kind, message_id, outcome, duration_ms, post)
select account_id, id, 'reply', $3, $4, $5, $6 from contacts where account_id = $1 and id = $2 for key share
