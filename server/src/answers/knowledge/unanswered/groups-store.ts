import { sql } from 'kysely'
import { shownName } from '../../../people/contacts/shown-name-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { ContactId } from '../../../platform/ids.ts'
import type { CampaignRef } from '../entries/store.ts'

export type UnansweredGroup = {
  groupId: string
  times: number
  lastAt: Date
  /** The score of the entry that is nearest to one of them, where that is known. */
  nearest: number | null
  /** Each wording once, the most frequent first. */
  questions: { question: string; times: number }[]
  /** Who asked, the last ones first; and how many there are. */
  askers: Asker[]
  askedBy: number
}

type Asker = { contactId: ContactId; name: string | null; fromId: string | null }

/** The groups that were asked most often, each with its most frequent wordings and the last who asked. */
export async function readGroups(
  db: Db,
  { accountId, campaignId }: CampaignRef,
  { groups, questions, askers }: { groups: number; questions: number; askers: number },
): Promise<UnansweredGroup[]> {
  const { rows } = await sql<UnansweredGroup>`
    with wordings as (
      select id, group_id, coalesce(asked, question) as question, times, last_at, nearest,
        row_number() over (partition by group_id order by times desc, last_at desc, question) as rank
      from unanswered
      where account_id = ${accountId} and campaign_id = ${campaignId}
    ), groups as (
      select group_id, sum(times)::integer as times, max(last_at) as last_at, max(nearest) as nearest,
        jsonb_agg(jsonb_build_object('question', question, 'times', times) order by rank)
          filter (where rank <= ${questions}) as questions
      from wordings
      group by group_id
      order by sum(times) desc, max(last_at) desc, group_id
      limit ${groups}
    ), asked as (
      select w.group_id, a.contact_id, count(*) over (partition by w.group_id) as of_group,
        row_number() over (partition by w.group_id order by max(a.last_at) desc nulls last, a.contact_id desc) as rank
      from wordings w join unanswered_askers a on a.account_id = ${accountId} and a.unanswered_id = w.id
      where w.group_id in (select group_id from groups)
      group by w.group_id, a.contact_id
    )
    select g.*, coalesce(max(s.of_group), 0)::integer as asked_by, coalesce(json_agg(json_build_object(
        'contactId', p.id, 'name', ${sql.raw(shownName('p'))}, 'fromId', p.external_id
      ) order by s.rank) filter (where p.id is not null), '[]') as askers
    from groups g
    left join asked s on s.group_id = g.group_id and s.rank <= ${askers}
    left join contacts p on p.account_id = ${accountId} and p.id = s.contact_id
    group by g.group_id, g.times, g.last_at, g.nearest, g.questions
    order by g.times desc, g.last_at desc, g.group_id
  `.execute(db)
  return rows
}
