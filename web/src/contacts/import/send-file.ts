import { limits } from '@patchbay/contract/limits.ts'
import { ApiError, ConnectionError, call } from '../../data/api.ts'
import { queryClient } from '../../data/queries.ts'
import { createStore } from '../../data/store.ts'
import { decodeFile, partsOf } from './decode-file.ts'
import { importWords as words } from './words.ts'

/** The file that this page is sending, also while the sheet is closed. */
export const sending = createStore<{ importId: string; percent: number } | null>(null)

/** Something is wrong with the file itself, found before anything is sent. */
export class FileError extends Error {}

/** So many characters with every one escaped stay below the limit of a request. */
const partCharacters = limits.importPartCharacters
const longestWaitMs = 15_000

/** Sends a file to be read, part by part; returns the import. A part whose answer got lost is sent again. */
export async function sendFile(file: File): Promise<string> {
  if (file.size > 2 * limits.importBytes) throw new FileError(words.tooLarge)
  const decoded = decodeFile(new Uint8Array(await file.arrayBuffer()))
  if (!decoded) throw new FileError(words.notText)
  const { text, encoding } = decoded
  if (text.trim() === '') throw new FileError(words.emptyFile)
  if (new Blob([text]).size > limits.importBytes) throw new FileError(words.tooLarge)
  const fileName = file.name.slice(-limits.nameCharacters).toWellFormed().trim() || 'contacts.csv'
  const { id: importId } = await call('POST /api/imports', { body: { fileName, encoding } })
  try {
    let [n, sent] = [0, 0]
    for (const part of partsOf(text, partCharacters)) {
      sending.set({ importId, percent: Math.floor((sent / text.length) * 100) })
      await sendPart({ importId, part: String(n) }, part)
      n += 1
      sent += part.length
    }
    await call('POST /api/imports/:importId/read', { params: { importId }, body: { parts: n } })
  } catch (error) {
    await call('DELETE /api/imports/:importId', { params: { importId } }).catch(() => {}) // it is pruned in an hour
    throw error
  } finally {
    sending.set(null)
    await queryClient.invalidateQueries({ queryKey: ['GET /api/imports'] })
  }
  return importId
}

async function sendPart(params: { importId: string; part: string }, part: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await call('PUT /api/imports/:importId/parts/:part', { params, body: { part } })
      return
    } catch (error) {
      const isPassing = error instanceof ConnectionError || (error instanceof ApiError && passing.has(error.status))
      if (!isPassing || tries === 8) throw error
      const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0
      const waitMs = Math.min(longestWaitMs, Math.max(asked, 250 * 2 ** tries))
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
}

const passing = new Set([429, 500, 502, 503])
