import { type OutboundCategory, OutboundError } from './call.ts'

/**
 * Maps an error of a connection to a category and a sentence. `fallback` is the category of errors without a known
 * code: the stage of the connection decides it. An error of the HTTP parser contains bytes of the answer, so it is
 * never kept as the cause.
 */
export function toOutboundError(error: unknown, fallback: OutboundCategory): OutboundError {
  if (error instanceof OutboundError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const category = categoryOf[code] ?? categoryByPrefix(code) ?? fallback
  const sentence = sentenceOf[code] ?? generalSentenceOf[category]
  return new OutboundError(category, sentence, code.startsWith('HPE_') ? undefined : { cause: error })
}

function categoryByPrefix(code: string): OutboundCategory | undefined {
  if (code.startsWith('HPE_')) return 'invalid_response'
  return /^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code) ? 'tls_error' : undefined
}

const categoryOf: Record<string, OutboundCategory | undefined> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  HPE_INVALID_EOF_STATE: 'connection_reset', // closed in the middle of the head
  UND_ERR_HEADERS_OVERFLOW: 'invalid_response',
  ETIMEDOUT: 'timeout',
  // No host was reached, so none can have received the request: the same guarantee as a refused connection.
  EHOSTUNREACH: 'connection_refused',
  ENETUNREACH: 'connection_refused',
  EHOSTDOWN: 'connection_refused',
  ENETDOWN: 'connection_refused',
  EADDRNOTAVAIL: 'connection_refused',
}

const unreachable = 'The host cannot be reached.'
const headersTooLarge = 'The headers of the answer are too large.'
const selfSigned = 'The certificate of the host is self-signed; give it one of a public authority.'

const sentenceOf: Record<string, string | undefined> = {
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EHOSTDOWN: unreachable,
  ENETDOWN: unreachable,
  EADDRNOTAVAIL: unreachable,
  HPE_HEADER_OVERFLOW: headersTooLarge,
  UND_ERR_HEADERS_OVERFLOW: headersTooLarge,
  CERT_HAS_EXPIRED: 'The certificate of the host has expired; renew it there.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'The certificate of the host is for another name; use that name in the address, or renew it for this one.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The host does not send the chain of its certificate; let it serve the file with the intermediate certificates.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'The certificate of the host is of an authority that is not known here; give it one of a public authority.',
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: selfSigned,
}

const generalSentenceOf: Record<OutboundCategory, string> = {
  timeout: 'The host did not answer in time.',
  dns_error: 'The host name could not be looked up.',
  connection_refused: 'The host refused the connection.',
  connection_reset: 'The host closed the connection before it had answered.',
  tls_error: 'No secure connection to the host could be made.',
  invalid_response: 'The answer of the host is not valid HTTP.',
  blocked_address: 'The address may not be called.',
  too_large: 'The answer of the host is too large.',
}
