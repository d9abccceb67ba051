import type { ShownContact } from '@patchbay/contract/app/contacts.ts'
import { Addresses } from '../ui/addresses.tsx'
import { ChannelLabel } from '../ui/channel.tsx'
import { CopyLine } from '../ui/copy-line.tsx'
import { KeyValues } from '../ui/kv.tsx'
import { Time } from '../ui/time.tsx'
import { contactWords as words } from './words.ts'

/** What cannot be changed: ids, the channel, times. */
export function ContactFacts({ contact }: { contact: ShownContact }) {
  const { channel, externalId, addresses, lastAt, createdAt, id } = contact
  const where = channel ? <ChannelLabel channel={channel} /> : <span className="faint">{words.noConversation}</span>
  const reachedBy = addresses.length > 0 && <Addresses addresses={addresses} />
  const theirId = externalId && <CopyLine text={externalId} what={words.copyTheirId} />
  const heard = lastAt && <Time at={lastAt} />
  const added = <Time at={createdAt} />
  const ownId = <CopyLine text={id} what={words.copyContactId} />
  return (
    <KeyValues
      lines={[
        [words.channel, where],
        [words.reachedBy, reachedBy || null],
        [words.theirId, theirId],
        [words.lastHeard, heard],
        [words.added, added],
        [words.contactId, ownId],
      ]}
    />
  )
}
