import type { ChannelCheck } from '@patchbay/contract/app/channels.ts'
import type { WebchatSettings } from '@patchbay/contract/chat/settings.ts'
import type { OwnChecks, OwnFacts } from '../kind.ts'
import { isLoopbackName, isLoopbackPage } from './pages.ts'
import { lookAtStrangers } from './strangers.ts'

/** What is to be done until people write, in its order. Required is only an address from which a page can fetch the chat. */
export function checks(facts: OwnFacts<WebchatSettings>): OwnChecks {
  const { settings, seen, hasFirstMessage } = facts
  const address = checkAddress(facts)
  const found = [
    address,
    done('pages', `It may be on ${settings.pages.join(', ')}.`),
    seen
      ? done('seen', `Seen on ${seen.host}.`)
      : waits('seen', `Put the line on a page of ${settings.pages[0]}, and open that page.`),
    hasFirstMessage
      ? done('first message', 'Somebody has written.')
      : waits('first message', 'Write in the chat on your page.'),
    ...(settings.members === 'off' ? [] : [checkMembers(facts)]),
  ]
  const strangers = lookAtStrangers(facts)
  const checks = [...found, ...strangers.map(({ name, sentence }) => failing(name, sentence))]
  return { checks, reason: address.state === 'failing' ? 'no address' : (strangers[0]?.reason ?? null) }
}

/** A page that is read by https fetches nothing by http; and what only this machine can reach is for a page on it. */
function checkAddress({ publicUrl, settings }: OwnFacts<WebchatSettings>): ChannelCheck {
  const { protocol, hostname, host } = new URL(publicUrl)
  if (isLoopbackName(hostname)) {
    if (settings.pages.some(isLoopbackPage)) return done('address', `It is fetched from ${host}, on this machine.`)
    return failing(
      'address',
      `PUBLIC_URL is ${publicUrl}, which only this machine reaches. Have the operator set it to an https address, or add localhost to the pages to try it here.`,
    )
  }
  if (protocol === 'https:') return done('address', `It is fetched from ${host}.`)
  return failing('address', `PUBLIC_URL is ${publicUrl}, and pages fetch it by https only. Have the operator set it.`)
}

function checkMembers({ hasSecret, hasMember }: OwnFacts<WebchatSettings>): ChannelCheck {
  if (!hasSecret) return waits('first member', 'Make the secret, and give it to the server of your shop.')
  if (hasMember) return done('first member', 'A customer who is signed in has written.')
  return waits('first member', 'Sign in at your shop, and write in the chat.')
}

const check =
  (state: ChannelCheck['state']) =>
  (name: ChannelCheck['name'], sentence: string): ChannelCheck => ({
    name,
    state,
    sentence,
    quote: null,
  })
const [done, waits, failing] = [check('done'), check('waits'), check('failing')]
