import { type ChatUploaded, chatLimits } from '@patchbay/contract/chat/protocol.ts'
import { keepVisitorsFile } from '../../../journey/media/outgoing/keep-file.ts'
import type { Db } from '../../../platform/database/db.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { Asking } from '../entry/admit.ts'
import { ended, full, tooMuch } from '../entry/refused.ts'
import type { Days } from '../limits/days.ts'
import type { Layers } from '../limits/layers.ts'
import { typeOfVisitors } from './file-types.ts'

type Ctx = Readonly<{ db: Db; layers: Layers; days: Days }>

const hourMs = 3_600_000

/** Whether a file may come, before a byte of it is read. */
export async function admitFile(
  { layers, days }: Ctx,
  { chat, name, known, on }: Asking,
  bytes: number,
): Promise<void> {
  if (!chat.settings.takesFiles) throw new Refusal('FORBIDDEN', 'This chat takes no files.')
  if (!known) throw ended()
  if (bytes > chatLimits.fileBytes) {
    throw new Refusal('PAYLOAD_TOO_LARGE', `A file may have at most ${chatLimits.fileBytes / 1_048_576} MiB.`)
  }
  const waitMs = Math.max(
    layers.ofVisitor(name, 'file', { isCounted: false }),
    layers.ofVisitor(name, 'fileBytes', { isCounted: false, amount: bytes }),
  )
  if (waitMs > 0) throw tooMuch(waitMs)
  if ((await days.soFar(on)).fileBytes + bytes > chat.settings.caps.fileBytesADay) throw full(hourMs)
  layers.ofVisitor(name, 'file', { isCounted: true })
}

/** Keeps a visitor's file for an hour, until a message takes it along. */
export async function keepFile(
  { db, layers, days }: Ctx,
  { on, name, known }: Asking,
  { bytes, fileName }: { bytes: Buffer; fileName: string },
): Promise<ChatUploaded> {
  if (!known) throw ended()
  if (bytes.length === 0) throw new Refusal('INVALID_REQUEST', 'The file is empty.')
  const contentType = await typeOfVisitors(bytes, fileName)
  if (contentType === undefined) {
    throw new Refusal(
      'INVALID_REQUEST',
      'Files of this type are not taken. Send a picture, a PDF, a text, a sound or a video.',
    )
  }
  layers.ofVisitor(name, 'fileBytes', { isCounted: true, amount: bytes.length })
  days.add(on, { fileBytes: bytes.length })
  return { fileId: await keepVisitorsFile(db, known.ref, { bytes, contentType, fileName }) }
}
