import type { Found } from '@patchbay/contract/app/search.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { SaidMessage } from '../../found-pages.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { sayPhone } from '../../ui/say-phone.ts'
import { Time } from '../../ui/time.tsx'
import { useSearch } from '../../use-search.ts'
import { inboxWords as words } from '../../words/inbox.ts'
import { searchWords } from '../../words/search.ts'
import { shownName } from '../names.ts'
import { RowSkeletons } from './row-skeletons.tsx'

/** What the search found: people, and messages with the words. */
export function FoundList({ q, openId }: { q: string; openId: string | undefined }) {
  const { found, isGoingOn, error, retry } = useSearch(q)
  if (!found) return error ? <ErrorState error={error} retry={retry} /> : <RowSkeletons />
  const { people } = found
  const messages = found.messages ?? []
  const count = people.length + messages.length
  return (
    <div className="convos">
      <span className="sr" role="status">
        {isGoingOn ? words.searchingOlder : words.found(count)}
      </span>
      {count === 0 && !isGoingOn && !error && (
        <Empty title={words.nothingFound(q)} says={found.messages ? words.nothingFoundHint : searchWords.typeMore} />
      )}
      {people.length > 0 && (
        <Group title={words.people}>
          {people.map((person) => (
            <Person key={person.contactId} person={person} isOpen={person.contactId === openId} />
          ))}
        </Group>
      )}
      {messages.length > 0 && (
        <Group title={words.messages}>
          {messages.map((message) => (
            <Said key={message.messageId} message={message} isOpen={message.contactId === openId} />
          ))}
        </Group>
      )}
      {people.length > 0 && !found.messages && <p className="found-more small muted">{searchWords.typeMore}</p>}
      {isGoingOn && (
        <p className="found-more small muted" aria-hidden="true">
          {words.searchingOlder}
        </p>
      )}
      {error && <ErrorState error={error} retry={retry} />}
    </div>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <div className="list-group">{title}</div>
      <ul>{children}</ul>
    </section>
  )
}

function Person({ person, isOpen }: { person: Found['people'][number]; isOpen: boolean }) {
  const { contactId, name, phone, email, externalId, channel, hasConversation } = person
  const known = (phone && sayPhone(phone)) ?? email ?? externalId ?? ''
  const about = hasConversation ? known : words.noConversationYet
  return (
    <li>
      <Link
        to={hasConversation ? '/inbox/$contactId' : '/contacts/$contactId'}
        params={{ contactId }}
        search={true}
        className="convo"
        aria-current={isOpen ? 'true' : undefined}
        activeProps={{}}
      >
        <Avatar name={name} channel={channel} />
        <span className="who cut">
          <bdi>{shownName(person) || words.noName}</bdi>
          {channel && <span className="sr">, {channel.label}</span>}
        </span>
        <span />
        <span className="said cut">
          <span>{about}</span>
        </span>
      </Link>
    </li>
  )
}

function Said({ message, isOpen }: { message: SaidMessage; isOpen: boolean }) {
  const { contactId, contactName, channel, text, at } = message
  return (
    <li>
      <Link
        to="/inbox/$contactId"
        params={{ contactId }}
        search={true}
        className="convo"
        aria-current={isOpen ? 'true' : undefined}
        activeProps={{}}
      >
        <Avatar name={contactName} channel={channel} />
        <span className="who cut">
          <bdi>{contactName ?? words.noName}</bdi>
          <span className="sr">, {channel.label}</span>
        </span>
        <Time at={at} as="clock" className="when" />
        <span className="said cut">
          <span dir="auto">{text}</span>
        </span>
      </Link>
    </li>
  )
}
