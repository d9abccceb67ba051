/**
 * This folder serves the web app: it makes the build when the sources have changed, and answers with the page and its
 * files. Read this file first, then `build-app.ts` and `serve-app.ts`.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../platform/log.ts'
import { buildApp } from './build-app.ts'

/** What is served: a build with its page, or the reason why there is none. */
export type AppFiles = { id: string; page: string; roots: string[] } | { problem: string }

/** A server without its app still serves the API, so a failed build is logged and not thrown. */
export async function openAppFiles(log: Log, showProgress: (isBuilding: boolean) => void): Promise<AppFiles> {
  const startedAt = performance.now()
  let isBuilding = false
  try {
    const { id, folder, older } = await buildApp(() => {
      isBuilding = true
      showProgress(true)
    })
    if (isBuilding) log.info({ ms: Math.round(performance.now() - startedAt) }, 'the app was built')
    return { id, page: await readFile(join(folder, 'index.html'), 'utf8'), roots: [folder, ...older] }
  } catch (error) {
    log.error({ err: error }, 'the app cannot be shown; the API is served')
    return { problem: error instanceof Error ? error.message : String(error) }
  } finally {
    if (isBuilding) showProgress(false)
  }
}
