-- Runs beside servers of the version before: yes

-- How much a model is given for one answer. Null: as usual for the kind of the connection.
alter table connections add column prompt_tokens integer;
