// Made by `npm run generate` from the migrations; compared by a test.
import type { Generated } from 'kysely'
import type { AccountId, BroadcastId, CampaignId, ChannelId, ConnectionId, ContactId, EntryId, ImportId, LedgerId, ListId, MessageId, ReceiverId, UserId } from '../ids.ts'

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
    takenCount: Generated<number>
  }
  accounts: {
    id: AccountId
    kind: 'standard' | 'agency' | 'subaccount'
    agencyId: AccountId | null
    rateLimitPerMinute: number | null
    createdAt: Generated<Date>
    botActive: Generated<boolean>
    name: string | null
    timeZone: Generated<string>
    agencyLinkAt: Date | null
    agencyLinkUsedAt: Date | null
    takenSince: Date | null
    takenCount: Generated<number>
  }
  alertSettings: {
    accountId: AccountId
    conditions: Generated<string[]>
    namesContacts: Generated<boolean>
    creditsBelow: string | null
  }
  alertStates: {
    accountId: AccountId
    condition: string
    subject: string
    since: Date
    toldAt: Date | null
    overSince: Date | null
    version: string | null
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
    reference: unknown | null
    fileName: string | null
    sizeBytes: string | null
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
  broadcastMarks: {
    accountId: AccountId
    watchedUntil: Date
    countedUntil: Generated<Date>
    lookedAt: Generated<Date>
    resentAt: Date | null
  }
  broadcastRecipients: {
    accountId: AccountId
    broadcastId: BroadcastId
    n: number
    contactId: ContactId | null
    state: Generated<'waiting' | 'made' | 'sent' | 'failed' | 'left_out'>
    reason: 'opted_out' | 'no_id' | 'erased' | 'no_address' | 'id_taken' | 'blocked' | null
    messageId: MessageId | null
    seq: string | null
    errorCategory: string | null
    errorHttpStatus: number | null
    madeAt: Date | null
    settledAt: Date | null
    answeredAt: Date | null
  }
  broadcasts: {
    accountId: AccountId
    id: BroadcastId
    name: string
    listId: ListId
    listName: string
    channel: string
    campaignId: CampaignId | null
    body: string
    ratePerMinute: number
    state: Generated<'scheduled' | 'preparing' | 'running' | 'paused' | 'stopped' | 'finished'>
    userId: UserId | null
    createdAt: Generated<Date>
    preparedAfter: Generated<string>
    preparedAt: Date | null
    resumedAt: Date | null
    endedAt: Date | null
    waitingSince: Date | null
    waitingReason: 'no_endpoint' | 'endpoint_paused' | 'endpoint_gone' | 'endpoint_failing' | 'channel_attention' | 'channel_paused' | 'channel_removed' | 'restored_copy' | 'no_credits' | null
    haltedAt: Date | null
    haltedReason: 'no_endpoint' | 'endpoint_paused' | 'endpoint_gone' | 'endpoint_failing' | 'channel_attention' | 'channel_paused' | 'channel_removed' | 'restored_copy' | 'no_credits' | 'missed_start' | null
    pacedAt: Generated<Date>
    recipients: Generated<number>
    open: Generated<number>
    sent: Generated<number>
    failed: Generated<number>
    optedOut: Generated<number>
    noId: Generated<number>
    erased: Generated<number>
    answered: Generated<number>
    causes: Generated<unknown>
    idFrom: 'phone' | 'email' | null
    noAddress: Generated<number>
    idTaken: Generated<number>
    startsAt: Date | null
    blocked: Generated<number>
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
  channelDirectory: {
    channelId: ChannelId
    accountId: AccountId
    kind: string
    providerKey: string
  }
  channelLabels: {
    accountId: AccountId
    label: string
    colour: number
    createdAt: Generated<Date>
  }
  channelPolls: {
    accountId: AccountId
    channelId: ChannelId
    cursor: Generated<string>
    dueAt: Generated<Date>
    leaseToken: string | null
    leasedUntil: Date | null
  }
  channelRates: {
    accountId: AccountId
    channelId: ChannelId
    nextAt: Generated<Date>
    queuedAt: Generated<Date>
    pausedUntil: Date | null
    notRegistered: Generated<number>
  }
  channels: {
    accountId: AccountId
    id: ChannelId
    kind: string
    providerKey: string
    name: string
    address: string
    state: Generated<string>
    attentionReason: string | null
    attentionSince: Date | null
    pausedAt: Date | null
    pausedBy: UserId | null
    settings: unknown
    credentials: string | null
    version: Generated<number>
    receivesBy: Generated<string>
    whenInDoubt: Generated<string>
    perSecond: number | null
    hookUrl: string | null
    hookVersion: number | null
    checks: Generated<unknown>
    checkedAt: Date | null
    checkDueAt: Date | null
    lastEventAt: Date | null
    createdAt: Generated<Date>
    resumedAt: Date | null
    removedAt: Date | null
    hookBefore: unknown | null
    creditsPerMessage: Generated<string>
  }
  chatDays: {
    accountId: AccountId
    channelId: ChannelId
    day: Date
    contacts: Generated<number>
    messages: Generated<number>
    fileBytes: Generated<string>
    modelAnswers: Generated<number>
    refused: Generated<number>
    refusedPage: Generated<number>
    refusedPace: Generated<number>
    refusedFull: Generated<number>
    forged: Generated<number>
  }
  chatPages: {
    accountId: AccountId
    channelId: ChannelId
    seenHost: string | null
    seenAt: Date | null
    refusedOrigin: string | null
    refusedAt: Date | null
    forgedAt: Date | null
    hiddenAt: Date | null
  }
  chatPanels: {
    accountId: AccountId
    channelId: ChannelId
    process: string
    open: number
    at: Generated<Date>
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
    promptTokens: number | null
  }
  contactAddresses: {
    accountId: AccountId
    channelId: ChannelId
    kind: string
    address: string
    contactId: ContactId
    createdAt: Generated<Date>
  }
  contactChannels: {
    accountId: AccountId
    contactId: ContactId
    channelId: ChannelId
    addressKind: string
    address: string
    username: string | null
    lastInboundAt: Date | null
    stoppedAt: Date | null
    stopScope: string | null
    pairAt: Generated<Date>
    leftEmail: string | null
    leftEmailAt: Date | null
    seenAt: Date | null
    signedInAs: string | null
    stopSource: string | null
    startedAt: Date | null
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
    activeStep: Generated<Date>
    incomingSeq: Generated<string>
    isSimulated: Generated<boolean>
    handlerUserId: UserId | null
    state: Generated<string>
    snoozedUntil: Date | null
    assigneeId: string | null
    clears: Generated<number>
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
    receiverId: ReceiverId
    author: string | null
    firstAttemptAt: Date | null
    lastAttemptAt: Date | null
    leaseToken: string | null
    leasedUntil: Date | null
    sentAt: Date | null
    lastUrl: string | null
    lastDurationMs: number | null
    trace: string | null
    asked: string | null
    ownDueAt: Date | null
    askedAttempts: Generated<number>
    doubtSince: Date | null
    deliveredAt: Date | null
    readAt: Date | null
    awaitsReceiptUntil: Date | null
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
  deliveryParts: {
    accountId: AccountId
    deliveryId: string
    n: number
    channelId: ChannelId
    contactId: ContactId
    addressKind: string
    address: string
    content: unknown
    attempts: Generated<number>
    waits: Generated<number>
    begunAt: Date | null
    doubtSince: Date | null
    resentAt: Date | null
    providerId: string | null
    acceptedAt: Date | null
    errorCode: string | null
    errorDetail: string | null
    doubtEndedAt: Date | null
    doubtEndedBy: string | null
    deliveredAt: Date | null
    readAt: Date | null
    failedAt: Date | null
    providerSays: string | null
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
    forMessage: Generated<string>
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
  importBlocks: {
    accountId: AccountId
    importId: ImportId
    fromRow: number
    rows: unknown
  }
  importErrors: {
    accountId: AccountId
    importId: ImportId
    n: number
    line: number
    field: string | null
    reason: string
    cells: unknown
    keys: string[]
  }
  importParts: {
    accountId: AccountId
    importId: ImportId
    n: number
    text: string
  }
  imports: {
    accountId: AccountId
    id: ImportId
    state: Generated<'uploading' | 'reading' | 'checking' | 'ready' | 'running' | 'finished' | 'stopped' | 'refused'>
    fileName: string
    encoding: string
    createdAt: Generated<Date>
    startedAt: Date | null
    endedAt: Date | null
    parts: Generated<number>
    bytes: Generated<number>
    refusal: string | null
    delimiter: string | null
    headers: Generated<unknown>
    firstRows: Generated<unknown>
    rows: Generated<number>
    mapping: Generated<unknown>
    checked: Generated<number>
    wrong: Generated<number>
    known: Generated<number>
    listId: ListId | null
    overwrites: Generated<boolean>
    done: Generated<number>
    added: Generated<number>
    changed: Generated<number>
    same: Generated<number>
    failed: Generated<number>
    forgotten: Generated<number>
    lease: string | null
    leasedUntil: Generated<Date>
    servedAt: Generated<Date>
    place: unknown | null
    attempts: Generated<number>
    country: string | null
    erased: Generated<string[]>
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
    backupFailedAt: Date | null
    backupFailure: string | null
    restoredAt: Date | null
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
  messageDetails: {
    accountId: AccountId
    messageId: MessageId
    providerAt: Date | null
    replyTo: string | null
    data: Generated<unknown>
    editedBody: string | null
    editedAt: Date | null
    removedAt: Date | null
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
    broadcastId: BroadcastId | null
  }
  optOuts: {
    accountId: AccountId
    hash: Buffer
    createdAt: Generated<Date>
  }
  outgoingFiles: {
    accountId: AccountId
    id: string
    contactId: ContactId
    userId: UserId | null
    mediaId: string
    contentType: string
    fileName: string
    createdAt: Generated<Date>
    byContact: Generated<boolean>
  }
  providerEvents: {
    accountId: AccountId
    id: Generated<string>
    channelId: ChannelId
    at: Generated<Date>
    day: Generated<Date>
    why: string
    body: string | null
    times: Generated<number>
    providerId: string | null
    dueAt: Date | null
    attempts: Generated<number>
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
  receivers: {
    accountId: AccountId
    id: ReceiverId
    url: string
    secret: string | null
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
  removedSids: {
    accountId: AccountId
    sidHash: Buffer
    messageId: MessageId
    notedAt: Generated<Date>
  }
  reportAccounts: {
    accountId: AccountId
    zone: string
    beganAt: Date
    countedTo: Generated<Date>
    answersTo: Generated<Date>
    ledgerN: Generated<string>
    caughtUpAt: Date | null
    missesSince: Date | null
  }
  reportChannels: {
    accountId: AccountId
    id: number
    label: string | null
  }
  reportDays: {
    accountId: AccountId
    day: Date
    channel: number
    messagesIn: number
    messagesOut: number
    byBot: number
    byPerson: number
    byApi: number
    sent: number
    failed: number
    unanswered: number
    spent: string
    botConversations: number
    botResolved: number
    responses: Buffer
    deliveries: Buffer
  }
  reportDeliveries: {
    accountId: AccountId
    contactId: ContactId
    messageId: MessageId
    channel: number
    createdAt: Date
    isFailed: boolean
  }
  reportDirtyDays: {
    accountId: AccountId
    day: Date
  }
  reportMarks: {
    accountId: AccountId
    contactId: ContactId
    key: Generated<string>
    seq: string
    channels: Generated<number[]>
  }
  reportQuarters: {
    accountId: AccountId
    quarter: Date
    channel: number
    messagesIn: number
    messagesOut: number
    byBot: number
    byPerson: number
    byApi: number
    sent: number
    failed: number
    unanswered: number
    spent: string
    responses: number[]
    deliveryMs: number[]
    botKeys: string[]
    personKeys: string[]
    wishKeys: string[]
    answerKeys: Generated<string[]>
    answerMarks: Generated<string[]>
  }
  reportWaiting: {
    accountId: AccountId
    contactId: ContactId
    quarter: Date
    channel: number
    messages: number
    firstSeq: string
    firstAt: Date
    lastSeq: string
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
  runningServers: {
    number: number
    name: string
    version: string
    startedAt: Generated<Date>
    settings: unknown
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
    toldAt: Date | null
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
    isFreeOnly: boolean | null
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
    asked: string | null
  }
  unansweredAskers: {
    accountId: AccountId
    unansweredId: string
    contactId: ContactId
    times: Generated<number>
    lastAt: Date | null
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
    isManager: Generated<boolean>
  }
}

/** The column that names the account, of every table that has rows of many accounts. */
export const tenantColumns = {
  account_links: 'account_id',
  accounts: 'id',
  alert_settings: 'account_id',
  alert_states: 'account_id',
  answers: 'account_id',
  api_calls: 'account_id',
  api_keys: 'account_id',
  attachments: 'account_id',
  audit_events: 'account_id',
  balances: 'account_id',
  broadcast_marks: 'account_id',
  broadcast_recipients: 'account_id',
  broadcasts: 'account_id',
  campaigns: 'account_id',
  channel_directory: 'account_id',
  channel_labels: 'account_id',
  channel_polls: 'account_id',
  channel_rates: 'account_id',
  channels: 'account_id',
  chat_days: 'account_id',
  chat_pages: 'account_id',
  chat_panels: 'account_id',
  connections: 'account_id',
  contact_addresses: 'account_id',
  contact_channels: 'account_id',
  contacts: 'account_id',
  conversation_events: 'account_id',
  conversation_notes: 'account_id',
  conversation_reads: 'account_id',
  conversation_tags: 'account_id',
  conversations: 'account_id',
  deliveries: 'account_id',
  delivery_attempts: 'account_id',
  delivery_parts: 'account_id',
  entries: 'account_id',
  entry_texts: 'account_id',
  entry_use_marks: 'account_id',
  entry_uses: 'account_id',
  erasures: 'account_id',
  grant_keys: 'account_id',
  holds: 'account_id',
  idempotency_keys: 'account_id',
  import_blocks: 'account_id',
  import_errors: 'account_id',
  import_parts: 'account_id',
  imports: 'account_id',
  ledger: 'account_id',
  list_counts: 'account_id',
  list_members: 'account_id',
  lists: 'account_id',
  media: 'account_id',
  media_chunks: 'account_id',
  message_details: 'account_id',
  message_search: 'account_id',
  messages: 'account_id',
  opt_outs: 'account_id',
  outgoing_files: 'account_id',
  provider_events: 'account_id',
  receivers: 'account_id',
  removed_sids: 'account_id',
  report_accounts: 'account_id',
  report_channels: 'account_id',
  report_days: 'account_id',
  report_deliveries: 'account_id',
  report_dirty_days: 'account_id',
  report_marks: 'account_id',
  report_quarters: 'account_id',
  report_waiting: 'account_id',
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
