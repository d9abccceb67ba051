import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Client } from 'pg'
import type { RunningServer } from './servers/start.ts'

/** Gives the owner's default campaign the entries of the evaluation; returns its questions. */
export async function teach({ dataDir, command }: RunningServer, database: Client): Promise<string[]> {
  const source = resolve(import.meta.dirname, '../eval/entries.json')
  const entries: { questions: string[]; answer: string }[] = JSON.parse(await readFile(source, 'utf8')).en
  const file = join(dataDir, 'knowledge.json')
  await writeFile(file, JSON.stringify(entries.map(({ questions, answer }) => ({ questions, answer }))))
  const { rows } = await database.query<{ id: string }>('select id from campaigns where is_default')
  await command('knowledge', 'import', '--campaign', rows[0]?.id ?? '', '--file', file)
  await rm(file)
  return entries.flatMap(({ questions }) => questions.map((question) => `Hi, one thing: ${question}`))
}
