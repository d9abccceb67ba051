/** A message that came in, as the product knows it, whoever brought it. */
export type Incoming = {
  /** It is unique in the account: a repeated one changes nothing. */
  messageSid: string
  sender: {
    /** The sender's id on the external platform. */
    externalId: string
    firstName: string | undefined
    lastName: string | undefined
    email: string | undefined
  }
  kind: 'text' | 'reaction'
  body: string
  toId: string
  status: string
  /** The label of the source. */
  channel: string | undefined
  /** The campaign that should answer. */
  campaignId: string | undefined
  /** Its address, or the file itself as a data URI; not read yet. */
  file: { url: string; contentType: string | undefined } | undefined
}
