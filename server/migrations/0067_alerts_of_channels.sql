-- Runs beside servers of the version before: yes
--
-- A channel that needs somebody is told like a receiver that fails, also to those who chose what they are told before there were
-- channels: nobody has said no to it.
alter table alert_settings alter column conditions set default '{waiting,receiver,bot,credits,broadcast,channel}';
update alert_settings set conditions = conditions || '{channel}';

-- One without credentials calls nobody, and says that it has none.
alter table channels drop constraint channels_check2, add check (state <> 'removed' or credentials is null);
