import type { Found } from '@patchbay/contract/app/search.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { MessageMatch } from '../../data/search-pages.ts'
import { useFoundCount, useSearch } from '../../data/use-search.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { formatPhone } from '../../ui/format-phone.ts'
import { searchWords } from '../../ui/search-words.ts'
import { Time } from '../../ui/time.tsx'
import { shownName } from '../names.ts'
import { inboxWords as words } from '../words.ts'
import { RowSkeletons } from './row-skeletons.tsx'

/** What the search found: people, and messages with the words. */
export function SearchResults({ q, openId }: { q: string; openId: string | undefined }) {
  const { found, isGoingOn, hasFollowing, loadMore, isLoadingMore, error, retry } = useSearch(q)
  const total = useFoundCount(q, hasFollowing && !isGoingOn)
  if (!found) return error ? <ErrorState error={error} retry={retry} /> : <RowSkeletons />
  const { people } = found
  const messages = found.messages ?? []
  const count = people.length + messages.length
  const areAllShown = total !== undefined && !total.isMore && total.count <= messages.length
  const hasMore = hasFollowing && !areAllShown
  return (
    <div className="convos">
      <span className="sr" role="status">
        {isGoingOn ? words.searchingOlder : words.found(count)}
      </span>
      {count === 0 && !isGoingOn && !error && (
        <Empty title={words.nothingFound(q)} says={found.messages ? words.nothingFoundHint : searchWords.typeMore} />
      )}
      {people.length > 0 && (
        <Group title={found.hasMorePeople ? words.peopleFirst(people.length) : words.people}>
          {people.map((person) => (
            <PersonRow key={person.contactId} person={person} isOpen={person.contactId === openId} />
          ))}
          {found.hasMorePeople && (
            <li className="found-more small">
              <Link to="/contacts" search={{ q }}>
                {words.allPeople}
              </Link>
            </li>
          )}
        </Group>
      )}
      {messages.length > 0 && (
        <Group title={words.messagesOf(messages.length, hasMore || isGoingOn, total)}>
          {messages.map((message) => (
            <MessageRow key={message.messageId} message={message} isOpen={message.contactId === openId} />
          ))}
        </Group>
      )}
      {hasMore && !isGoingOn && !error && (
        <p className="found-more">
          <Button size="sm" busy={isLoadingMore && words.loadingFound} onClick={loadMore}>
            {words.moreFound}
          </Button>
        </p>
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

function PersonRow({ person, isOpen }: { person: Found['people'][number]; isOpen: boolean }) {
  const { contactId, name, phone, email, externalId, channel, hasConversation } = person
  const known = (phone && formatPhone(phone)) ?? email ?? externalId ?? ''
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
        <span className="convo-who cut">
          <bdi>{shownName(person) || words.noName}</bdi>
          {channel && <span className="sr">, {channel.name}</span>}
        </span>
        <span />
        <span className="convo-said cut">
          <span>{about}</span>
        </span>
      </Link>
    </li>
  )
}

function MessageRow({ message, isOpen }: { message: MessageMatch; isOpen: boolean }) {
  const { contactId, contactName, channel, text, marks, at } = message
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
        <span className="convo-who cut">
          <bdi>{contactName ?? words.noName}</bdi>
          <span className="sr">, {channel.name}</span>
        </span>
        <Time at={at} as="clock" className="convo-when" />
        <span className="convo-said cut">
          <MarkedText text={text} marks={marks} />
        </span>
      </Link>
    </li>
  )
}

/** The words that were looked for stand out; all of it is text. */
function MarkedText({ text, marks }: Pick<MessageMatch, 'text' | 'marks'>) {
  const parts: ReactNode[] = []
  let at = 0
  for (const { from, to } of marks) {
    parts.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>)
    at = to
  }
  return (
    <span dir="auto">
      {parts}
      {text.slice(at)}
    </span>
  )
}
