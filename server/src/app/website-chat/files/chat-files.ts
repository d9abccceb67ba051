import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChatLanguage, ChatSettings } from '@patchbay/contract/chat/protocol.ts'

/** Of this build, and the panels of builds before it, which pages that were loaded then still ask for. */
export type ChatFiles = {
  loader: string
  /** The name of today's panel in each language. */
  panels: ChatSettings['panels']
  /** By its name; compressed. */
  all: ReadonlyMap<string, Buffer>
}

/** Undefined: this server has no build of the app, and so none of the chat. */
export async function readChatFiles(builds: readonly string[]): Promise<ChatFiles | undefined> {
  const folders = builds.map((folder) => join(folder, 'chat')).filter((folder) => existsSync(folder))
  const [newest] = folders
  if (newest === undefined) return undefined
  const all = new Map<string, Buffer>()
  for (const folder of folders) {
    const names = (await readdir(folder)).filter((name) => /^panel-.*\.br$/.test(name))
    for (const name of names) all.set(name.slice(0, -'.br'.length), await readFile(join(folder, name)))
  }
  const [loader, named] = await Promise.all([
    readFile(join(newest, 'loader.js'), 'utf8'),
    readFile(join(newest, 'files.json'), 'utf8'),
  ])
  return { loader, panels: JSON.parse(named).panels, all }
}

/** `panel-de-0123456789.js`. A hash that nobody knows any more gets what is there today, which is not to be kept by that name. */
export function findPanel({ panels, all }: ChatFiles, name: string): { content: Buffer; isToday: boolean } | undefined {
  const [, language] = /^panel-([a-z]{2})-[0-9a-f]{1,64}\.js$/.exec(name) ?? []
  if (language === undefined) return undefined
  const known = all.get(name)
  const today = Object.hasOwn(panels, language) ? all.get(panels[language as ChatLanguage] ?? '') : undefined
  const content = known ?? today
  return content && { content, isToday: known === undefined }
}
