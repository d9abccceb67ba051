/*
 * What a kind of built-in channel has to know. Everything in `kinds/` is pure: data in, data out; no clock, no
 * database, no network. So each rule of a provider can be tested by a value, and nothing here can lose a message.
 */

import type { ChannelCheck, ChannelSenders } from '@patchbay/contract/app/channels.ts'
import type { AttentionReason, ChannelKind } from '@patchbay/contract/channels.ts'
import type { Answer, OutboundError } from '../../../platform/outbound/call.ts'

/** One kind of channel. */
export type Kind = ProviderKind | OwnKind

/** What every kind has. */
type AnyKind = {
  name: ChannelKind
  limits: Limits
  /** Whether we are told later that a message arrived; false: that it was taken is the last that is heard of it. */
  receipts: boolean
  /** It is seen beside each message whether the bot or a person says it. */
  showsWhoSpeaks: boolean
  /** A text costs by its segments: whoever writes it sees how many. */
  countsSegments?: true
  /** Divides what is to be said into parts. Throws Refusal for what the channel would refuse. */
  split(content: Content): Part[]
}

/** One that is there by a provider: each part is a request to it. `Settings` hold nothing secret, `Secrets` are stored sealed; both are JSON. */
export type ProviderKind<Settings = unknown, Secrets = unknown> = AnyKind & {
  leaves: 'by a request'
  /** The provider's origins by name. Credentials go there, or to what the operator set instead, and nowhere else. */
  origins: Readonly<Record<string, string>>
  /** Whom it may be written to first: who has a phone number, or nobody, because people have to write first. */
  writesFirstTo: 'phone numbers' | 'nobody'
  /** How fast its senders may send, in places: `cost` says how many of them a part takes. */
  pace(settings: Settings): Pace
  cost(part: Part): number
  /** For how long after it was made a message may leave. */
  leavesWithinSeconds: number
  connect: Connect<Settings, Secrets>
  hook: HookSide<Settings, Secrets> | null
  poll: PollSide<Settings, Secrets> | null
  /** Finds what came while nobody could be called; null: the provider keeps it for us. */
  catchUp: CatchUp<Settings, Secrets> | null
  request(send: PartToSend, settings: Settings, secrets: Secrets): ProviderCall
  judge(outcome: Answer | OutboundError, send: PartToSend): Judgement
  /** How it is found out what became of a part in doubt; null: there is nothing to ask, and it leaves once more. */
  ask: Ask<Settings, Secrets> | null
  /** Shows somebody that an answer is being written, again each time before the sign ends. */
  typing: { everyMs: number; request(address: Address, secrets: Secrets): ProviderCall } | null
  /** Tells the provider that a tap was received; null: it does not wait for that. */
  acknowledge: { request(id: string, secrets: Secrets): ProviderCall } | null
  files: {
    /** How a file reaches the provider: with the request, or it fetches it at an address of ours. */
    leave: 'with the request' | 'by a link'
    /** Fetches an incoming file. */
    download(reference: FileReference, settings: Settings, secrets: Secrets): Calls<Buffer | FileFault>
  }
}

/** `gone`: nobody will find it any more. */
export type FileFault = { state: 'unreachable' | 'gone' | 'too large' }

/**
 * One that is our own: who is written to comes here and fetches it, so that a message is sent when it is stored, and nothing is
 * ever due, tried again or in doubt. `Settings` are what its owner sets.
 */
export type OwnKind<Settings = unknown> = AnyKind & {
  leaves: 'when stored'
  /** The shape of what an owner gives, a JSON schema. */
  settings: object
  /** Changes what is set; what is left out stays, or is as usual where nothing was set. Throws Refusal, naming the field. */
  readSettings(given: Partial<Settings>, before: Settings | undefined): Settings
  /** What it is called until somebody names it, and where it is found, for people. */
  describe(settings: Settings): { name: string; address: string }
  /** What the owner puts where people are to meet it. */
  line(id: string, publicUrl: string): string
  /** Whether an address that somebody wrote from is where it may be met. */
  isOurs(address: string, settings: Settings): boolean
  /** How often language models may answer somebody whom anybody can be, and `lookAt`: after which of the day's answers it is looked at. */
  modelAnswers(settings: Settings, address: { kind: string }): { ofVisitor: number; ofDay: number; lookAt: number[] }
  /** What is to be done before it works, from what is known of it. */
  checks(facts: OwnFacts<Settings>): OwnChecks
}

/** What is known of a channel of our own. */
export type OwnFacts<Settings> = {
  settings: Settings
  publicUrl: string
  seen: { host: string; at: Date } | null
  hasFirstMessage: boolean
  today: DayUse
  /** A moment ago many tokens said what is not so, or nearly all visitors had one private address. */
  isForged: boolean
  isHidden: boolean
  hasSecret: boolean
  hasMember: boolean
}

/** What strangers have had of a channel this day. */
type DayUse = { contacts: number; messages: number; fileBytes: number; modelAnswers: number }

/** `reason`: what keeps it from working. */
export type OwnChecks = { checks: ChannelCheck[]; reason: AttentionReason | null }

/**
 * A request as data; `call.ts` alone makes it. It names one of the kind's origins, so that no provider's answer can lead it,
 * and the credentials in it, elsewhere.
 */
export type ProviderCall = {
  origin: string
  /** Begins with a slash. There may be a secret in it, so it is neither logged nor stored. */
  path: string
  /** Where the provider's own answer leads for a file: called in place of the origin and the path, and with nothing of ours. */
  ledTo?: string
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string | Buffer
  /** What is called, for people: in logs, attempts and checks. */
  operation: string
  /** What nobody may see, if the answer repeats it: a proxy's error may quote the address. */
  secret?: string
  /** Of the answer. Default: as much as an answer in words may have. */
  mostBytes?: number
  attemptMs?: number
}

/**
 * Calls that are made one after another, each decided by the answers to those before: what is yielded is called, and what came of it
 * comes back. `makeCalls` makes them.
 */
export type Calls<Result> = Generator<ProviderCall, Result, Answer | OutboundError>

export type Limits = {
  /** Of a text, in UTF-16 code units. */
  textUnits: number
  captionUnits: number
  parts: number
  /** Of a file that is sent. */
  fileBytes: { image: number; other: number }
  /** Of a file that came; null: as for all channels. */
  incomingFileBytes: number
}

export type Pace = { perSecond: number; pair: { perSecond: number; burst: number } }

/** `phone`: a number in the form of E.164, which the provider has verified. */
type AddressKind = 'chat' | 'browser' | 'member' | 'phone'

/** How a contact is known on a channel. */
export type Address = { kind: AddressKind; address: string }

/** Who a channel is at its provider. `providerKey` is one sender there, which one account of an installation has. */
export type Identity<Settings> = {
  providerKey: string
  name: string
  /** As people know it, such as `@shop_bot`. */
  address: string
  settings: Settings
  /** What its owner is to know of it, though it works. */
  remarks?: ChannelCheck[]
}

/**
 * Why something is not as it should be: a sentence that says what to do, and the provider's own words. `isTemporary`: the
 * provider was not reached or is not well, which says nothing about the channel.
 */
export type Fault = {
  fault: string
  quote: string | null
  isTemporary: boolean
  /** The check that it fails, if not that of the credentials. */
  check?: ChannelCheck['name']
}

export type Connect<Settings, Secrets> = {
  /** What an owner gives, and a secret of ours where the provider shows one with each request. Throws Refusal. */
  readCredentials(given: Readonly<Record<string, unknown>>, newSecret: () => string): Secrets
  /** What nobody has to give again with new ones: whose they are, and what is not replaced. `secrets`: none that can be read. */
  known?(settings: Settings, secrets: Secrets | undefined): Readonly<Record<string, string>>
  /** Proves that the credentials are of the sender that they are said to be of. */
  identify(secrets: Secrets): Calls<Identity<Settings> | Fault>
  /** The cheapest call that shows whether the provider answers at all. */
  probe(settings: Settings, secrets: Secrets): Calls<Fault | null>
  /** The senders that credentials have, to choose from; null: they are of one. */
  senders: { list(given: Readonly<Record<string, unknown>>): Calls<ChannelSenders | Fault> } | null
}

/** A request of a provider to our hook, with what it may have called us by: the address that counts now, and others that may. */
export type HookRequest = {
  headers: HookHeaders
  body: Buffer
  /** What follows the channel in the path, such as `status`, or nothing. */
  about: string
  query: URLSearchParams
  urls: string[]
  receivedAt: number
}

export type HookHeaders = Readonly<Record<string, string | string[] | undefined>>

/** What the provider calls us by, where it can reach us. */
export type HookSide<Settings, Secrets> = {
  /** Ports of our public address that the provider calls; null: any. */
  ports: readonly number[] | null
  /** Of what it posts; the first one is the usual one. */
  contentTypes: readonly ('application/json' | 'application/x-www-form-urlencoded')[]
  /** Whether the head of the request may be the provider's; asked before the body is read. */
  mayBeAuthentic(headers: HookHeaders, secrets: Secrets): boolean
  /** Whether the request is the provider's; asked before anything of the body is parsed. */
  isAuthentic(request: HookRequest, secrets: Secrets): boolean
  /** Never throws for what a provider sent. */
  read(request: HookRequest, settings: Settings): ProviderEvent[]
  /** What the provider wants to hear when all of it is kept; null: nothing. */
  answer: { contentType: string; body: string } | null
  look(settings: Settings, secrets: Secrets): Calls<HookState | Fault>
  set(url: string, settings: Settings, secrets: Secrets): Calls<Fault | null>
  /** Puts back what `look` found before we came, where that is known. `url`: what we have set; another tool's stays. */
  remove(ours: { url: string; before: unknown }, settings: Settings, secrets: Secrets): Calls<Fault | null>
}

/**
 * What a provider says of where it delivers. `url`: null when it delivers nowhere. `found`: all that `set` would replace, so that it
 * can be put back; null: nothing that would be missed.
 */
export type HookState = {
  url: string | null
  waiting: number
  lastError: { at: number; words: string } | null
  found: unknown
  /** Something about it is not as `set` leaves it. */
  isAltered?: boolean
}

export type CatchUp<Settings, Secrets> = {
  everySeconds: number
  /** What came since then, the oldest first; at most so much that the next run can go on. */
  list(since: number, settings: Settings, secrets: Secrets): Calls<ProviderEvent[] | Fault>
}

export type Ask<Settings, Secrets> = {
  /** How long after it began it is asked; the last time decides. */
  afterSeconds: readonly number[]
  /** Provider's ids of messages that may be this one; `unknown`: that could not be found out, which is not that there is none. */
  find(
    send: PartToSend & { begunAt: number },
    settings: Settings,
    secrets: Secrets,
  ): Calls<{ providerIds: string[] } | 'unknown'>
}

/** How we fetch, where the provider cannot call us. One caller at a time. */
export type PollSide<Settings, Secrets> = {
  /** `isBrief`: others wait, so where there is nothing the provider answers soon. */
  request(cursor: bigint, settings: Settings, secrets: Secrets, isBrief?: boolean): ProviderCall
  judge(outcome: Answer | OutboundError, receivedAt: number): Polled
}

type Polled =
  /** `cursor`: what the next request begins with, once these are kept. */
  | { is: 'events'; events: ProviderEvent[]; cursor: bigint | null }
  /** Somebody else reads the same events, or a hook is set. */
  | { is: 'conflict'; quote: string }
  | { is: 'later'; seconds: number }
  | { is: 'broken'; fault: Fault }

/** What a provider says has happened. In the order of the request; `at` are milliseconds since 1970 by the provider's clock. */
export type ProviderEvent =
  | InMessage
  | Reaction
  | Receipt
  | { is: 'edit'; id: string; at: number; body: string }
  | { is: 'blocked' | 'unblocked'; at: number; from: Sender }
  /** Known, and of no concern here. */
  | { is: 'left out'; why: string }
  /** Unknown or unreadable: kept as it came. */
  | { is: 'not read'; why: string; raw: unknown }

/** What the provider says later of a message of ours. */
export type Receipt = {
  is: 'receipt'
  at: number
  providerId: string
  /** The part that it is about, where the provider says it in our words. */
  ours: { messageId: string; n: number } | null
  says: 'sent' | 'delivered' | 'read' | 'failed'
  /** Of a failure. */
  code: string | null
  detail: string | null
  effect: Effect | null
}

/**
 * What a failure says besides. `blocked`: they take nothing from this channel; `not registered`: the sender may not send until its
 * owner has done something at the provider.
 */
export type Effect = 'blocked' | 'not registered'

export type Sender = { addresses: Address[]; names: Names }

type Names = { firstName: string | null; lastName: string | null; username: string | null }

export type InMessage = {
  is: 'message'
  /** Unique among the messages of the channel. */
  id: string
  at: number
  from: Sender
  body: string
  /** False: kept and shown, never answered. */
  mayBeAnswered: boolean
  file: FileReference | null
  /** The provider's id of the message that it answers. */
  replyTo: string | null
  data: MessageData
  /** It is one of the words with which somebody takes nothing more, or takes it again: at the provider too, so that nobody here can override it. */
  stop?: 'stop' | 'start' | 'start if stopped'
  /** Files that came with it besides the first: each is kept as a message of its own. */
  moreFiles?: FileReference[]
  /** What `acknowledge` needs, where the provider wants to be told. */
  acknowledge: string | null
}

/** A person's reaction to a message, `emoji` null when it was taken back. */
export type Reaction = { is: 'reaction'; id: string; at: number; from: Sender; target: string; emoji: string | null }

/** What is known of a message besides its text. */
export type MessageData = {
  /** The entry that was chosen with a button. */
  choice?: string
  /** It opens the conversation, and with which parameter. */
  opens?: true
  start?: string
  place?: { latitude: number; longitude: number; name: string | null }
  /** The kind of thing that it is, where the text only describes it. */
  described?: 'location' | 'contact' | 'poll' | 'dice' | 'sticker'
  /** On a website: origin and path of the page, the language of the chat, and whether the website vouches for who wrote. */
  page?: string
  language?: string
  signed?: true
}

/** How the kind finds a file that came; never an address with a secret in it. */
export type FileReference = {
  id: string
  contentType: string | null
  fileName: string | null
  sizeBytes: number | null
}

export type OutFile = { contentType: string; fileName: string; bytes: Buffer }

/** What is to be said to somebody. */
export type Content = {
  text: string
  choices: { id: string; title: string }[]
  file: (Pick<OutFile, 'contentType' | 'fileName'> & { sizeBytes: number }) | null
  replyTo: string | null
  isByBot?: boolean
}

/** What is said at once: one request to the provider. As it is stored. */
export type Part = {
  text: string
  hasFile: boolean
  choices: { id: string; title: string }[]
  replyTo: string | null
}

export type PartToSend = {
  messageId: string
  /** Which part of the message it is, from 1 on. */
  n: number
  part: Part
  address: Address
  file: OutFile | null
  /** Where the provider fetches the file, if it does. */
  fileUrl: string | null
  /** The address of our hook; null: nobody can call us. */
  hookUrl: string | null
  /** For how long it may leave. */
  secondsLeft: number
}

export type Judgement =
  | { is: 'sent'; providerId: string }
  /** The provider asked to wait; it uses up no attempt. */
  | { is: 'later'; seconds: number; holds: 'pair' | 'channel' }
  | { is: 'failed'; code: string; detail: string; retries: boolean; effect?: Effect }
  /** The channel is at fault, not the message. `reason`: if it is not that the credentials are not taken. */
  | { is: 'broken'; code: string; detail: string; reason?: 'not registered' }
  /** The request left, and nobody knows what became of it. */
  | { is: 'in doubt'; detail: string }
