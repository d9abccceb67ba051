-- Runs beside servers of the version before: yes
--
-- The audit shows grants by API key from the ledger: one line for the agency and one for the sub-account would take more
-- time to write than the grant itself (decision 43).
create index ledger_granted_by_key on ledger (payer_id, id) where kind = 'grant' and actor = 'api';
create index ledger_granted_to on ledger (account_id, id) where kind = 'grant' and actor = 'api';
