import type { BroadcastPreview, ChannelReach } from '@patchbay/contract/app/broadcasts.ts'
import { noList } from '../../people/lists/add-contact.ts'
import { hasList } from '../../people/lists/store.ts'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId, sayUnknown } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { countChannelAudience, findChannelTrouble, readChannelReaders, readNames } from './channel-preview-store.ts'
import { countAudience, findTrouble, readFirstReaders } from './preview-store.ts'
import { defaultRate, type GivenBroadcast, readBroadcast } from './read-broadcast.ts'
import { audienceOf } from './record/audience.ts'
import { bodyFor } from './record/body-for.ts'
import { findWay, placesOf, placesPerMinute, ratePerMinuteOver, type Way } from './record/way.ts'

/** So many readers show that names are filled in, and what becomes of the text without one. */
const shown = 3

/** What a broadcast would send at this moment; it checks all that starting it checks. */
export async function previewBroadcast(db: Db, accountId: AccountId, given: GivenBroadcast): Promise<BroadcastPreview> {
  const read = await db.transaction().execute((tx) => readBroadcast(tx, accountId, given))
  const { listName, way } = read
  const ratePerMinute = given.ratePerMinute ?? defaultRate
  const found = await (way
    ? previewOver(db, accountId, { ...read, way, ratePerMinute })
    : previewCustom(db, accountId, read))
  const { contacts, optedOut, blocked, noId, noAddress, idTaken } = found
  const readers = contacts - optedOut - blocked - noId - noAddress - idTaken
  return { listName, takesSeconds: (readers / ratePerMinute) * 60, places: null, ...found }
}

type Read = Awaited<ReturnType<typeof readBroadcast>>
type Found = Omit<BroadcastPreview, 'listName' | 'takesSeconds' | 'places'> &
  Partial<Pick<BroadcastPreview, 'takesSeconds' | 'places'>>

async function previewCustom(db: Db, accountId: AccountId, { listId, body, idFrom }: Read): Promise<Found> {
  const list = { accountId, listId }
  const [audience, readers, trouble] = await Promise.all([
    countAudience(db, list, idFrom),
    readFirstReaders(db, list, { idFrom, limit: shown }),
    findTrouble(db, accountId),
  ])
  const [example] = idFrom === null ? [] : await readFirstReaders(db, list, { idFrom, onlyWithoutId: true, limit: 1 })
  const messages = readers.map(({ hasId: _, ...reader }) => ({ ...reader, body: bodyFor(body, reader.firstName) }))
  return { ...audience, blocked: 0, messages, example: example?.externalId ?? null, trouble }
}

async function previewOver(
  db: Db,
  accountId: AccountId,
  read: Read & { way: Way; ratePerMinute: number },
): Promise<Found> {
  const { listId, body, way } = read
  const list = { accountId, listId, audience: audienceOf(read, way) }
  const [audience, readers, trouble, names] = await Promise.all([
    countChannelAudience(db, list),
    readChannelReaders(db, list, shown),
    findChannelTrouble(db, way.row),
    readNames(db, list),
  ])
  const messages = readers.map((reader) => ({ ...reader, body: bodyFor(body, reader.firstName) }))
  return { ...audience, noAddress: 0, messages, example: null, trouble, ...timeOf(read, names) }
}

/** How many places the messages take, each with its name in it, and how long that is: a long one takes the time of several. */
function timeOf(
  { body, way, ratePerMinute }: { body: string; way: Way; ratePerMinute: number },
  names: { firstName: string | null; contacts: number }[],
): Pick<BroadcastPreview, 'takesSeconds' | 'places'> {
  const each = 60 / ratePerMinuteOver(way, { body, ratePerMinute })
  const aPlace = 60 / placesPerMinute(way)
  const sizes = names.map(({ firstName, contacts }) => ({ places: placesOf(way, bodyFor(body, firstName)), contacts }))
  const all = sizes.reduce((sum, { places, contacts }) => sum + places * contacts, 0)
  const takesSeconds = sizes.reduce((sum, { places, contacts }) => sum + Math.max(each, places * aPlace) * contacts, 0)
  const counts = sizes.map(({ places }) => places)
  const shortest = placesOf(way, bodyFor(body, null))
  const places = { least: Math.min(...counts, Infinity), most: Math.max(...counts, 0), all }
  return { takesSeconds, places: counts.length > 0 ? places : { least: shortest, most: shortest, all: 0 } }
}

/** How many of a list can be written to over a built-in channel. */
export async function showChannelReach(
  db: Db,
  accountId: AccountId,
  { listId, channelId }: { listId: string; channelId: string },
): Promise<ChannelReach> {
  if (!isId('lst', listId) || !(await hasList(db, { accountId, listId }))) throw noList()
  const way = await findWay(db, accountId, channelId)
  if (!way) throw new Refusal('NOT_FOUND', sayUnknown('channel', 'chn', channelId))
  const audience = audienceOf({ idFrom: null }, way)
  const counts = await countChannelAudience(db, { accountId, listId, audience })
  return { ...counts, writesFirstTo: way.kind.writesFirstTo, mostPerMinute: placesPerMinute(way) }
}
