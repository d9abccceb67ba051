import type { Conversation } from '@patchbay/contract/app/conversations.ts'
import type { Message, Note, ThreadEvent } from '@patchbay/contract/app/messages.ts'
import type { KeptRecords } from '../../src/inbox/compose/kept-records.ts'

const channel = { label: 'Web chat', name: 'Web chat', kind: null, colour: 1 }

/** Minute `seq` of a day, unless the test says otherwise. */
export function message(seq: number, fields: Partial<Message> = {}): Message {
  return {
    id: `msg_${seq}`,
    contactId: 'con_1',
    seq,
    direction: 'incoming',
    author: 'contact',
    userId: null,
    userName: null,
    kind: 'text',
    body: `text ${seq}`,
    channel,
    createdAt: minute(seq * 10),
    delivery: null,
    file: null,
    hasAnswer: false,
    broadcast: null,
    details: null,
    ...fields,
  }
}

export function sent(seq: number, fields: Partial<Message> = {}): Message {
  return message(seq, {
    direction: 'outgoing',
    author: 'person',
    userId: 'usr_1',
    delivery: delivery('Sent'),
    ...fields,
  })
}

export function delivery(
  status: 'Waiting' | 'Sent' | 'Failed',
  fields: Partial<NonNullable<Message['delivery']>> = {},
): NonNullable<Message['delivery']> {
  return {
    status,
    attempts: 1,
    askedAttempts: 0,
    maxAttempts: 11,
    isSending: false,
    sentAt: null,
    nextAttemptAt: null,
    fault: null,
    overChannel: null,
    ...fields,
  }
}

export function event(seq: number, fields: Partial<ThreadEvent> = {}): ThreadEvent {
  return {
    id: `evt_${seq}`,
    seq,
    kind: 'taken over',
    userId: null,
    userName: null,
    toUserId: null,
    toUserName: null,
    until: null,
    other: null,
    at: minute(seq * 10 + 1),
    ...fields,
  }
}

export function note(seq: number, fields: Partial<Note> = {}): Note {
  const at = minute(seq * 10 + 2)
  return { id: `note_${seq}`, seq, userId: 'usr_1', userName: 'Tom', body: `note ${seq}`, at, ...fields }
}

export function conversation(contactId: string, minutes: number, fields: Partial<Conversation> = {}): Conversation {
  return {
    contactId,
    name: contactId,
    phone: null,
    externalId: null,
    isSimulated: false,
    channel,
    lastAt: minute(minutes),
    unread: 0,
    waitingSince: null,
    waitingReason: null,
    hasFailed: false,
    isInDoubt: false,
    last: { author: 'contact', userName: null, kind: 'text', text: '', hasFile: false, isTakenBack: false },
    botIsWriting: false,
    state: 'open',
    snoozedUntil: null,
    assignee: null,
    ...fields,
  }
}

export function minute(count: number): string {
  return new Date(Date.UTC(2026, 10, 16, 8, count)).toISOString()
}

/** The records of one browser, seen by several tabs. */
export function openBrowser() {
  const records = new Map<string, string>()
  const tabs = new Set<{ tell: (name: string, value: string | null) => void }>()
  return {
    records,
    openTab: (): KeptRecords => {
      const tab = { tell: (_name: string, _value: string | null) => {} }
      tabs.add(tab)
      const tellOthers = (name: string, value: string | null) => {
        for (const other of tabs) if (other !== tab) other.tell(name, value)
      }
      return {
        readAll: () => new Map(records),
        write: (name, value) => {
          records.set(name, value)
          tellOthers(name, value)
        },
        remove: (name) => {
          if (records.delete(name)) tellOthers(name, null)
        },
        onChange: (listener) => {
          tab.tell = listener
        },
      }
    },
  }
}
