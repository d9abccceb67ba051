import type { Db } from '../../../platform/database/db.ts'
import { listEntries, type ShownEntry } from './entry-store.ts'
import type { CampaignRef } from './store.ts'

const pageSize = 200

/** All entries of a campaign as the text of a file, part by part, which `readKnowledgeFile` reads again unchanged. */
export async function* writeKnowledgeFile(
  db: Db,
  campaign: CampaignRef,
  format: 'csv' | 'json',
): AsyncGenerator<string, void> {
  yield format === 'csv' ? csvHead : '['
  let [after, isFirst] = ['', true]
  for (;;) {
    const entries = await listEntries(db, campaign, { after, limit: pageSize })
    for (const entry of entries) {
      yield format === 'csv' ? csvLine(entry) : `${isFirst ? '\n' : ',\n'}${jsonOf(entry)}`
      isFirst = false
    }
    const last = entries.at(-1)
    if (!last) break
    after = last.entryId
  }
  if (format === 'json') yield '\n]\n'
}

/** A byte order mark first, without which some spreadsheets read another encoding than UTF-8. */
const csvHead = '\uFEFFanswer,handsOver,isOn,question\r\n'

function csvLine({ answer, handsOver, isOn, questions }: ShownEntry): string {
  return `${[answer, String(handsOver), String(isOn), ...questions].map(csvCell).join(',')}\r\n`
}

/** An entry may repeat what a contact wrote, so a cell must not be a formula to whoever opens the file. */
function csvCell(text: string): string {
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text
  return /[",\r\n;\t]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe
}

const jsonOf = ({ questions, answer, handsOver, isOn }: ShownEntry) =>
  JSON.stringify({ questions, answer, handsOver, isOn })
