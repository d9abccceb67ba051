-- From server/src/journey/intake/removal-store.ts, by npm run generate.
select account_id as id from retention_marks