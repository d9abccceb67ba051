import type { Tx } from '../../platform/database/db.ts'
import { type AccountId, newId } from '../../platform/ids.ts'
import { insertCampaign } from './store.ts'

/** Is part of creating an account, so that its first message is answered. */
export async function makeDefaultCampaign(tx: Tx, accountId: AccountId): Promise<void> {
  const own = { accountId, id: newId('cmp'), name: 'Default', status: 'live' as const, isDefault: true, version: 1 }
  await insertCampaign(tx, { ...own, settings: texts, connectionId: null, trouble: null })
}

const texts = {
  greetingText: 'Hello! How can I help you?',
  thanksText: 'You are welcome!',
  // It promises nothing: whoever asks once may never be looked at. The miss that calls a person says `handoverText`.
  fallbackText:
    'I do not have an answer to that yet. Could you put it another way? To talk to a person, write "person".',
  handoverText: 'Thank you. A person will answer you here as soon as possible.',
}
