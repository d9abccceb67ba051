import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findAccount } from '../src/business/accounts/store.ts'
import { findAttachment, readMedia } from '../src/journey/media/store.ts'
import { isId } from '../src/platform/ids.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import { Refusal } from '../src/platform/refusal.ts'
import type { Run } from './declarations.ts'

export const mediaSave: Run<'media save'> = ({ withDatabase }, { account, message, to }) =>
  withDatabase(async (db) => {
    const { id: accountId } = await findAccount(db, account)
    const attachment = isId('msg', message) ? await findAttachment(db, accountId, message) : undefined
    if (!attachment) throw new Refusal('NOT_FOUND', `There is no file with a message ${message} in this account.`)
    const { mediaId, contentType, state } = attachment
    if (mediaId === null) throw new Refusal('NOT_FOUND', `The file of ${message} is not stored: ${state}.`)
    const path = (await isFolder(to)) ? join(to, `${message}.${extensionOf(contentType)}`) : to
    const sizeBytes = await save(path, readMedia(db, accountId, mediaId))
    return { messageId: message, path, contentType, sizeBytes, sha256: mediaId }
  })

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

/** The file name is the message id, never a name from outside; the extension follows the verified content type. */
function extensionOf(contentType: string): string {
  const [essence = ''] = contentType.toLowerCase().split(';')
  return extensions[essence.trim()] ?? 'bin'
}

const extensions: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/heic': 'heic',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/mp4': 'm4a',
  'audio/wav': 'wav',
  'audio/aac': 'aac',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'application/zip': 'zip',
  'application/json': 'json',
}

/** Writes the whole file or none: an incomplete file is removed. */
async function save(path: string, chunks: AsyncIterable<Buffer>): Promise<number> {
  const file = await open(path, 'wx', 0o600).catch((cause) => {
    const reason = cause.code === 'EEXIST' ? 'it exists already; give the name of a new file' : 'check the path'
    throw new OperatorError(`Cannot write ${path}; ${reason}.`, { cause })
  })
  let size = 0
  try {
    for await (const chunk of chunks) {
      await file.writeFile(chunk)
      size += chunk.length
    }
    await file.sync()
    await file.close()
    return size
  } catch (cause) {
    await file.close().catch(() => {})
    await rm(path, { force: true })
    throw new OperatorError(`Cannot write ${path}; the incomplete file was removed.`, { cause })
  }
}
