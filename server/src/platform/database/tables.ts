// Made by `npm run generate` from the migrations; compared by a test.
import type { Generated } from 'kysely'
import type { AccountId, CampaignId, ConnectionId, ContactId, EntryId, LedgerId, ListId, MessageId, UserId } from '../ids.ts'

export type Tables = {
  accountLinks: {
    accountId: AccountId
    id: string
    tokenHash: Buffer
    userId: UserId | null
    makesOwner: boolean
    madeBy: string
    createdAt: Generated<Date>
    endsAt: Date
  }
  accounts: {
    id: AccountId
    kind: 'standard' | 'agency' | 'subaccount'
    agencyId: AccountId | null
    rateLimitPerMinute: number | null
    createdAt: Generated<Date>
    botActive: Generated<boolean>
    name: string | null
  }
  answers: {
    accountId: AccountId
    contactId: ContactId
    fromSeq: string
    toSeq: string
    outcome: string
    reason: string
    campaignId: CampaignId | null
    campaignVersion: number | null
    routing: string | null
    messageId: MessageId | null
    engine: string | null
    model: string | null
    sources: Generated<unknown>
    inputTokens: number | null
    outputTokens: number | null
    durationMs: number | null
    createdAt: Generated<Date>
  }
  apiCalls: {
    accountId: AccountId
    id: string
    at: Date
    method: string
    path: string
    status: number
    code: string | null
    sentence: string | null
    durationMs: number
    requestId: string
  }
  apiKeys: {
    accountId: AccountId
    keyHash: Buffer
    createdAt: Generated<Date>
  }
  attachments: {
    accountId: AccountId
    messageId: MessageId
    contentType: string
    url: string | null
    state: 'stored' | 'not fetched yet' | 'unreachable' | 'not allowed' | 'wrong type' | 'too large' | 'removed'
    mediaId: string | null
    dueAt: Date | null
    attempts: Generated<number>
    leaseToken: string | null
    leasedUntil: Date | null
  }
  auditEvents: {
    accountId: AccountId
    id: string
    at: Generated<Date>
    act: string
    actorKind: string
    actorId: string | null
    actorName: string | null
    details: Generated<unknown>
    address: string | null
  }
  balances: {
    accountId: AccountId
    balance: Generated<string>
    held: Generated<string>
    version: Generated<string>
    rechargeThreshold: string | null
    rechargeAmount: string | null
    rechargeAskedVersion: string | null
    createdAt: Generated<Date>
  }
  campaigns: {
    accountId: AccountId
    id: CampaignId
    name: string
    status: 'draft' | 'live' | 'paused' | 'archived'
    isDefault: boolean
    settings: unknown
    version: Generated<number>
    knowledgeVersion: Generated<number>
    trouble: string | null
    createdAt: Generated<Date>
    unansweredVersion: Generated<number>
    connectionId: ConnectionId | null
  }
  channels: {
    accountId: AccountId
    label: string
    colour: number
    createdAt: Generated<Date>
  }
  connections: {
    accountId: AccountId
    id: ConnectionId
    name: string
    kind: 'openai-compatible' | 'openai' | 'anthropic'
    url: string | null
    key: string | null
    sealedFor: ConnectionId | CampaignId
    model: string | null
    version: Generated<number>
    lastTry: unknown | null
    createdAt: Generated<Date>
  }
  contacts: {
    accountId: AccountId
    id: ContactId
    firstName: string | null
    lastName: string | null
    phone: string | null
    email: string | null
    createdAt: Generated<Date>
    externalId: string | null
    optedOutAt: Date | null
    optedOutBy: 'contact' | 'operator' | 'returned' | null
    isSimulated: Generated<boolean>
    searchText: Generated<string>
  }
  conversationEvents: {
    accountId: AccountId
    contactId: ContactId
    id: Generated<string>
    seq: string
    kind: 'taken over' | 'handed back' | 'switched off' | 'asked for a person' | 'opted out' | 'opted in'
    userId: UserId | null
    at: Generated<Date>
    toUserId: string | null
    until: Date | null
  }
  conversationNotes: {
    accountId: AccountId
    contactId: ContactId
    id: Generated<string>
    seq: string
    userId: UserId
    clientId: string
    body: string
    at: Generated<Date>
  }
  conversationReads: {
    accountId: AccountId
    contactId: ContactId
    userId: UserId
    seq: string
  }
  conversationTags: {
    accountId: AccountId
    contactId: ContactId
    tag: string
    taggedAt: Generated<Date>
  }
  conversations: {
    accountId: AccountId
    contactId: ContactId
    channel: string | null
    campaignId: string | null
    lastSeq: Generated<string>
    lastOutgoingSeq: Generated<string>
    quietMs: Generated<number>
    createdAt: Generated<Date>
    handler: Generated<'bot' | 'person' | 'off'>
    handlerReason: string | null
    handlerSince: Date | null
    epoch: Generated<number>
    handedBackSeq: Generated<string>
    personAt: Date | null
    waitingSince: Date | null
    waitingReason: string | null
    misses: Generated<number>
    offered: Generated<EntryId[]>
    maxWaitMs: Generated<number>
    consentSeq: Generated<string>
    activeAt: Generated<Date>
    activeMinute: Generated<Date>
    incomingSeq: Generated<string>
    isSimulated: Generated<boolean>
    handlerUserId: UserId | null
    state: Generated<string>
    snoozedUntil: Date | null
    assigneeId: string | null
  }
  deliveries: {
    accountId: AccountId
    id: string
    contactId: ContactId | null
    outgoingSeq: string | null
    payload: string
    dueAt: Generated<Date | null>
    attempts: Generated<number>
    errorCategory: string | null
    errorHttpStatus: number | null
    errorDetail: string | null
    kind: 'reply' | 'recharge' | 'simulator'
    author: string | null
    firstAttemptAt: Date | null
    lastAttemptAt: Date | null
    leaseToken: string | null
    leasedUntil: Date | null
    sentAt: Date | null
    lastUrl: string | null
    lastDurationMs: number | null
    trace: string | null
  }
  deliveryAttempts: {
    accountId: AccountId
    deliveryId: string
    n: number
    at: Generated<Date>
    url: string
    durationMs: number
    errorCategory: string | null
    errorHttpStatus: number | null
    errorDetail: string | null
  }
  endpoints: {
    accountId: AccountId
    kind: 'reply' | 'recharge' | 'simulator'
    url: string
    secret: string
    oldSecret: string | null
    oldSecretUntil: Date | null
    failuresInRow: Generated<number>
    failingSince: Date | null
    lastSuccessAt: Date | null
    probeAt: Date | null
    probeWaitSeconds: Generated<number>
    pausedAt: Date | null
    goneAt: Date | null
    createdAt: Generated<Date>
    lastTest: unknown | null
  }
  entries: {
    accountId: AccountId
    id: EntryId
    campaignId: CampaignId
    isOn: boolean
    handsOver: boolean
    createdAt: Generated<Date>
  }
  entryTexts: {
    accountId: AccountId
    entryId: EntryId
    n: number
    text: string
    model: string | null
    vector: Buffer | null
  }
  entryUseMarks: {
    accountId: AccountId
    campaignId: string
    countedTo: Date
  }
  entryUses: {
    accountId: AccountId
    entryId: string
    day: Date
    times: number
  }
  erasures: {
    accountId: AccountId
    contactId: ContactId
    messages: Generated<number>
    begunAt: Generated<Date>
    leasedUntil: Date
  }
  grantKeys: {
    accountId: AccountId
    key: string
    bodyHash: Buffer
    subAccountId: AccountId
    entryId: LedgerId
    createdAt: Generated<Date>
  }
  holds: {
    accountId: AccountId
    contactId: ContactId
    fromSeq: string
    amount: string
    createdAt: Generated<Date>
  }
  idempotencyKeys: {
    accountId: AccountId
    endpoint: string
    key: string
    bodyHash: Buffer
    status: number | null
    answer: string | null
    createdAt: Generated<Date>
    contactId: ContactId | null
  }
  installation: {
    one: Generated<boolean>
    secretKeyCheck: string
    ownerAccountId: AccountId | null
    createdAt: Generated<Date>
    searchedTo: Generated<Date>
    backedUpAt: Date | null
    workPausedAt: Date | null
    ledgerCheckedAt: Date | null
    ledgerBreaches: number | null
  }
  ledger: {
    accountId: AccountId
    id: LedgerId
    n: string
    kind: 'grant' | 'usage' | 'reversal'
    payerId: AccountId
    payerPurse: 'credits' | 'issuance' | 'usage'
    payeeId: AccountId
    payeePurse: 'credits' | 'issuance' | 'usage'
    amount: string
    balanceAfter: string
    description: string | null
    actor: string
    contactId: ContactId | null
    fromSeq: string | null
    reverses: LedgerId | null
    createdAt: Generated<Date>
  }
  listCounts: {
    accountId: AccountId
    listId: ListId
    slot: number
    contacts: string
  }
  listMembers: {
    accountId: AccountId
    listId: ListId
    contactId: ContactId
    addedAt: Generated<Date>
  }
  lists: {
    accountId: AccountId
    id: ListId
    name: string
    createdAt: Generated<Date>
  }
  media: {
    accountId: AccountId
    id: string
    contentType: string
    sizeBytes: number
    createdAt: Generated<Date>
  }
  mediaChunks: {
    accountId: AccountId
    mediaId: string
    n: number
    bytes: Buffer
  }
  messageSearch: {
    accountId: AccountId
    id: Generated<string>
    newestId: string
    messageIds: MessageId[]
    contactIds: ContactId[]
    texts: string
    terms: number[] | null
  }
  messages: {
    accountId: AccountId
    id: MessageId
    contactId: ContactId
    seq: string
    direction: 'incoming' | 'outgoing'
    author: 'contact' | 'bot' | 'person' | 'api'
    kind: 'text' | 'reaction'
    status: string | null
    body: string
    channel: string | null
    campaignId: string | null
    messageSid: string | null
    toId: string | null
    outgoingSeq: string | null
    createdAt: Generated<Date>
    userId: UserId | null
  }
  optOuts: {
    accountId: AccountId
    hash: Buffer
    createdAt: Generated<Date>
  }
  rateWindows: {
    keyHash: Buffer
    number: number
    endsAt: Date
    quota: number
    leased: number
    wanted: number
    most: number
    granted: number
  }
  removedSids: {
    accountId: AccountId
    sidHash: Buffer
    messageId: MessageId
    notedAt: Generated<Date>
  }
  retentionMarks: {
    accountId: AccountId
    removedBefore: Date
  }
  retentionRules: {
    accountId: AccountId
    kind: string
    days: number
  }
  savedReplies: {
    accountId: AccountId
    id: string
    shortcut: string
    body: string
    updatedAt: Generated<Date>
  }
  schemaMigrations: {
    version: number
    name: string
    appliedAt: Generated<Date>
    runsBeside: Generated<boolean>
  }
  searchBackfills: {
    accountId: AccountId
    beforeId: string
  }
  searchMarks: {
    accountId: AccountId
    contactId: ContactId
    seq: string
    backfillSeq: Generated<string>
  }
  sessions: {
    tokenHash: Buffer
    accountId: AccountId
    userId: UserId
    address: string | null
    createdAt: Generated<Date>
    usedAt: Generated<Date>
    guestId: string | null
    visitEndsAt: Date | null
  }
  simulatorEvents: {
    accountId: AccountId
    contactId: ContactId
    id: Generated<string>
    at: Generated<Date>
    kind: 'incoming' | 'incoming again' | 'reply'
    messageId: MessageId
    outcome: string
    durationMs: number
    post: unknown | null
  }
  simulators: {
    accountId: AccountId
    behaviour: Generated<'ok' | 'error 503' | 'gone 410' | 'silent' | 'hang up' | 'busy 429'>
    timesLeft: number | null
  }
  turns: {
    accountId: AccountId
    contactId: ContactId
    firstAt: Generated<Date>
    dueAt: Date
    fromSeq: string
    lastSeq: string
    attempts: Generated<number>
    superseded: Generated<number>
    claimedSeq: string | null
    leaseToken: string | null
    leasedUntil: Date | null
    parkedUnits: string | null
    trace: string | null
  }
  unanswered: {
    accountId: AccountId
    campaignId: CampaignId
    question: string
    groupId: string
    times: Generated<number>
    model: string | null
    vector: Buffer | null
    firstAt: Generated<Date>
    lastAt: Generated<Date>
    id: Generated<string>
    nearest: number | null
  }
  unansweredAskers: {
    accountId: AccountId
    unansweredId: string
    contactId: ContactId
    times: Generated<number>
  }
  unreadConversations: {
    accountId: AccountId
    userId: UserId
    contactId: ContactId
    activeAt: Date
  }
  users: {
    id: UserId
    accountId: AccountId
    email: string | null
    passwordHash: string
    isOwner: boolean
    createdAt: Generated<Date>
    name: string | null
    firstRunHidden: Generated<boolean>
    unreadSince: Generated<Date>
    unreadListedUntil: Date | null
    isHolder: Generated<boolean>
    removedAt: Date | null
    seenAt: Date | null
    guestOf: string | null
  }
}

/** The column that names the account, of every table that has rows of many accounts. */
export const tenantColumns = {
  account_links: 'account_id',
  accounts: 'id',
  answers: 'account_id',
  api_calls: 'account_id',
  api_keys: 'account_id',
  attachments: 'account_id',
  audit_events: 'account_id',
  balances: 'account_id',
  campaigns: 'account_id',
  channels: 'account_id',
  connections: 'account_id',
  contacts: 'account_id',
  conversation_events: 'account_id',
  conversation_notes: 'account_id',
  conversation_reads: 'account_id',
  conversation_tags: 'account_id',
  conversations: 'account_id',
  deliveries: 'account_id',
  delivery_attempts: 'account_id',
  endpoints: 'account_id',
  entries: 'account_id',
  entry_texts: 'account_id',
  entry_use_marks: 'account_id',
  entry_uses: 'account_id',
  erasures: 'account_id',
  grant_keys: 'account_id',
  holds: 'account_id',
  idempotency_keys: 'account_id',
  ledger: 'account_id',
  list_counts: 'account_id',
  list_members: 'account_id',
  lists: 'account_id',
  media: 'account_id',
  media_chunks: 'account_id',
  message_search: 'account_id',
  messages: 'account_id',
  opt_outs: 'account_id',
  removed_sids: 'account_id',
  retention_marks: 'account_id',
  retention_rules: 'account_id',
  saved_replies: 'account_id',
  search_backfills: 'account_id',
  search_marks: 'account_id',
  sessions: 'account_id',
  simulator_events: 'account_id',
  simulators: 'account_id',
  turns: 'account_id',
  unanswered: 'account_id',
  unanswered_askers: 'account_id',
  unread_conversations: 'account_id',
  users: 'account_id',
}
