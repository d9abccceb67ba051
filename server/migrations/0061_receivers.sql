-- Runs beside servers of the version before: no
--
-- Where events go is a receiver, and a receiver is more than an address: the table and the column that name it say so. The labels of
-- custom channels give their name to the channels that are built in. Only names change: no row and no index is written anew.
alter table endpoints rename to receivers;
alter table receivers rename column kind to id;
alter table deliveries rename column kind to receiver_id;
alter table channels rename to channel_labels;
alter index endpoints_of_alerts rename to receivers_of_alerts;
alter index endpoints_pkey rename to receivers_pkey;
alter index channels_pkey rename to channel_labels_pkey;
