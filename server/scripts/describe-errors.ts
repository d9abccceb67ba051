import { type ErrorCode, meaningOf, statusOf } from '@patchbay/contract/errors.ts'

/** `docs/errors.md`, from the table that the server itself uses. */
export function describeErrors(): string {
  const codes = Object.keys(statusOf) as ErrorCode[] // the keys of the table are the codes
  const rows = codes.map((code) => `| \`${code}\` | ${statusOf[code]} | ${meaningOf[code]} |`)
  return `${head}\n| Code | Status | Meaning |\n|---|---|---|\n${rows.join('\n')}\n${tail}`
}

const head = `# Errors

<!-- Made by \`npm run generate\` from contract/errors.ts; compared by a test. -->

A refused request changes nothing. The answer says why, in one of two shapes. On contacts, lists, credits and every
unknown path:

\`\`\`json
{ "error": { "code": "INVALID_PHONE", "message": "phone must begin with + and a country code, such as +15551234567." } }
\`\`\`

On the two message endpoints (\`/incoming_custom_channel_message\` and \`/send_custom_channel_message\`, in both spellings) the
error is a sentence, for every status that they answer; there the status takes the place of the code:

\`\`\`json
{ "error": "customData.body must not be empty." }
\`\`\`

Messages name the field that is wrong and may change; codes do not. Plain HTTP is refused with the first shape on every path.
`

const tail = `
Every answer carries \`x-request-id\`; the same id is in the server's log.
Requests that the HTTP parser itself refuses get its status: 431 for oversize headers, 408 for a request that does not
arrive in time, 400 for what is not HTTP at all.
`
