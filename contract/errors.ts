/** Every way a request can be refused, and the status each refusal speaks. */
export const statusOf = {
  INVALID_REQUEST: 400,
  INVALID_JSON: 400,
  INVALID_PHONE: 400,
  INVALID_EMAIL: 400,
  PHONE_OR_EMAIL_REQUIRED: 400,
  INVALID_AMOUNT: 400,
  NOT_AN_AGENCY: 400,
  HTTPS_REQUIRED: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONTACT_NOT_FOUND: 404,
  LIST_NOT_FOUND: 404,
  SUBACCOUNT_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  ID_TAKEN: 409,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  INTERNAL: 500,
} as const

export type ErrorCode = keyof typeof statusOf

/** What each refusal means to the caller; `docs/errors.md` is made from it. */
export const meaningOf: Record<ErrorCode, string> = {
  INVALID_REQUEST: 'A field, parameter or header is missing or wrong. The message names it.',
  INVALID_JSON: 'The body is not valid JSON in UTF-8, is nested too deeply, or names a field twice in one object.',
  INVALID_PHONE: 'The phone number has no known country calling code, or not 7 to 15 digits.',
  INVALID_EMAIL: 'The e-mail address is malformed.',
  PHONE_OR_EMAIL_REQUIRED: 'Neither a phone number nor an e-mail address was given.',
  INVALID_AMOUNT: 'The amount is not above 0, has more than 4 decimals, or is too large.',
  NOT_AN_AGENCY: 'Only an agency grants credits, and this account is none.',
  HTTPS_REQUIRED: 'The request came over plain HTTP. Nothing was processed; use https.',
  UNAUTHORIZED: 'The API key is missing, malformed, unknown or no longer valid. In the app: nobody is signed in.',
  FORBIDDEN: 'In the app only: this user may not do that, or the request came from another site.',
  NOT_FOUND: 'There is nothing at this path.',
  CONTACT_NOT_FOUND: 'This account has no such contact.',
  LIST_NOT_FOUND: 'This account has no such list.',
  SUBACCOUNT_NOT_FOUND: 'This agency has no sub-account with this e-mail address.',
  METHOD_NOT_ALLOWED: 'The path exists but not with this method. The `Allow` header names those that do.',
  CONFLICT: 'In the app only: somebody else has changed it meanwhile, or it exists already.',
  ID_TAKEN: 'In the app only: another contact has this ID, or the contact has another one already.',
  PAYLOAD_TOO_LARGE: 'The request is larger than its endpoint allows.',
  RATE_LIMITED:
    'Too many requests for this key, or a queue of ours is full. Nothing was processed; wait for the seconds in `Retry-After`.',
  INTERNAL: 'Something went wrong on our side. Nothing was acknowledged; try again.',
}
