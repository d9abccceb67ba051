-- Runs beside servers of the version before: no (they would keep questions without who asked them)
--
-- Who asked what could not be answered, so that the words go with the last of those who said them.
alter table unanswered add column id uuid not null default gen_random_uuid();
create unique index unanswered_by_id on unanswered (account_id, id);
create table unanswered_askers (
  account_id text collate "C" not null,
  unanswered_id uuid not null,
  contact_id text collate "C" not null,
  times integer not null default 1,
  primary key (account_id, unanswered_id, contact_id),
  foreign key (account_id, unanswered_id) references unanswered (account_id, id) on delete cascade
);
create index unanswered_askers_by_contact on unanswered_askers (account_id, contact_id);

-- Those of today are found by what was said: the messages that an answer was owed to, put together as their wording is.
insert into unanswered_askers (account_id, unanswered_id, contact_id, times)
select u.account_id, u.id, asked.contact_id, count(*)
from (
  select a.account_id, a.campaign_id, a.contact_id, regexp_replace(btrim(regexp_replace(
    string_agg(m.body, ' ' order by m.seq), '\s+', ' ', 'g')), '[\s.!?¿¡]+$', '') as said
  from answers a join messages m on m.account_id = a.account_id and m.contact_id = a.contact_id
    and m.seq between a.from_seq and a.to_seq and m.direction = 'incoming' and m.kind = 'text'
  where a.outcome in ('fell back', 'offered') and exists (select from unanswered)
  group by a.account_id, a.campaign_id, a.contact_id, a.from_seq
) as asked
join unanswered u on u.account_id = asked.account_id and u.campaign_id = asked.campaign_id
  and lower(u.question) = left(lower(asked.said), 512)
group by u.account_id, u.id, asked.contact_id;

-- Nobody knows who said the others: erased people too. And no campaign keeps more than the 2,000 that were asked last.
delete from unanswered u
where not exists (select from unanswered_askers a where a.account_id = u.account_id and a.unanswered_id = u.id);
delete from unanswered u using (
  select account_id, id, row_number() over (partition by account_id, campaign_id order by last_at desc) as place
  from unanswered
) as p
where p.place > 2000 and u.account_id = p.account_id and u.id = p.id;
update unanswered u set times = (
  select sum(a.times) from unanswered_askers a where a.account_id = u.account_id and a.unanswered_id = u.id
);

create index unanswered_latest on unanswered (account_id, campaign_id, last_at desc);
create index unanswered_by_age on unanswered (last_at);

-- Up to which version of what a campaign knows its unanswered questions were asked again.
alter table campaigns add column unanswered_version integer not null default 0;
create index campaigns_taught on campaigns (account_id, id) where knowledge_version <> unanswered_version;
