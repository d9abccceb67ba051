/** Every size and time limit that a caller can meet, in one place. Documented in `docs/operations.md`. */
export const limits = {
  requestBytes: 256 * 1024,
  jsonDepth: 16,
  /** Members and elements in one document: bounds the time that parsing can take. */
  jsonValues: 10_000,
  nameCharacters: 256,
  idCharacters: 512,
  emailCharacters: 254,
  phoneCharacters: 64,
  password: { from: 8, to: 256 },

  /** For the first byte of a connection, which tells TLS from plain text. */
  firstByteMs: 2_000,
  tlsHandshakeMs: 5_000,
  headersMs: 5_000,
  requestMs: 10_000,
  keepAliveMs: 30_000,
  sockets: 2_000,
} as const
