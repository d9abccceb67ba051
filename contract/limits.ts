/** Every size and time limit that a caller can meet, in one place. Documented in `docs/operations.md`. */
export const limits = {
  requestBytes: 256 * 1024,
  /** Of the incoming endpoint, which may carry a file inside. */
  incomingBytes: 16 * 1024 * 1024,
  /** Of what a provider of a built-in channel posts. */
  hookBytes: 3 * 1024 * 1024,
  /** Of a file of questions and answers, where it is imported in the app; the command line takes larger ones. */
  knowledgeBytes: 1024 * 1024,
  /** Of a file of contacts that is imported, in UTF-8; it is sent in parts. */
  importBytes: 32 * 1024 * 1024,
  importRows: 100_000,
  importColumns: 100,
  importPartCharacters: 128 * 1024,
  /** Of a request with a part: characters may take several bytes, and quotes two. */
  importPartBytes: 1024 * 1024,
  /** Of one account, begun and not finished. */
  unfinishedImports: 3,
  /** Contacts that one request names to put them on a list. */
  contactsAtOnce: 1_000,
  /** Of a message's text, in UTF-8. */
  bodyBytes: 64 * 1024,
  /** Of a text that the bot says. */
  sayingCharacters: 2_000,
  mediaBytes: 10 * 1024 * 1024,
  /** Files of an account that were attached to replies and not sent yet. */
  unsentFiles: 50,
  urlCharacters: 2_048,
  jsonDepth: 16,
  /** Members and elements in one document: bounds the time that parsing can take. */
  jsonValues: 10_000,
  /** Of all that a language model is given for one answer. */
  promptTokens: { from: 1_500, to: 64_000 },
  nameCharacters: 256,
  idCharacters: 512,
  emailCharacters: 254,
  phoneCharacters: 64,
  descriptionCharacters: 1_000,
  tagCharacters: 40,
  savedReplyCharacters: 4_000,
  /** How many messages a broadcast may make in a minute, how many broadcasts of an account may be under way and wait for their time, and how far ahead that may be. */
  broadcast: { from: 1, to: 6_000, atOnce: 20, scheduled: 100, daysAhead: 366 },
  /** Of one grant. */
  grantCredits: 1_000_000_000,
  password: { from: 8, to: 256 },
  /** For how many days things can be kept, other than for ever. */
  keepDays: { from: 1, to: 36_500 },

  /** For the first byte of a connection, which tells TLS from plain text. */
  firstByteMs: 2_000,
  tlsHandshakeMs: 5_000,
  headersMs: 5_000,
  requestMs: 10_000,
  /** Of a request to the incoming endpoint. */
  incomingMs: 30_000,
  keepAliveMs: 30_000,
  /** Without a byte either way on a connection that has requests: above all other limits, for peers that read nothing. */
  stuckMs: 60_000,
  sockets: 2_000,
  /** Live streams of one process: half of its connections stay for everything else. */
  streams: 1_000,
  streamsPerAccount: 50,
  /** An eighth of all. One server with many workers, or an office behind one address, has some dozens open. */
  connectionsPerAddress: 256,
  /** In flight, behind a proxy, of one client address: what it could have directly, one on each connection. */
  requestsPerAddress: 256,
  /** In flight on one connection. Few clients pipeline at all, and those few seldom more than ten. */
  requestsPerConnection: 16,
} as const
