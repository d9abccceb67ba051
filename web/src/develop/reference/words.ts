/** Develop › API reference. */
export const referenceWords = {
  baseUrl: 'Base URL',
  baseUrlWhat: 'base URL',
  contents: 'Endpoints',
  more: 'Also',
  groups: { path: 'In the path', query: 'In the query', header: 'Headers', body: 'Body' } as Record<string, string>,
  required: 'required',
  wrong: 'What can go wrong',
  language: 'Language',
  key: 'Key',
  pasteKey: 'Paste yours',
  copyCode: 'Copy code',
  copyAnswer: 'Copy answer',
  answer: 'What comes back',
  also: { webhook: 'Your webhook: what we post', signature: 'Check a signature', errors: 'Errors' },
  webhookSays:
    'Every reply of the bot or of a person, and every message sent with the API, is posted to the address in Settings › Custom Channel Webhook. Answer with any status from 200 to 299 within 15 seconds; else it is tried again, ten times over about 22 hours. The same post may come twice: its webhook-id is the same.',
  headers: [
    ['webhook-id', 'The message’s id; the same for every attempt.'],
    ['webhook-timestamp', 'Seconds since 1970, of this attempt.'],
    ['webhook-signature', 'v1, and base64 of an HMAC-SHA256; two of them while a secret is being rotated.'],
    ['patchbay-attempt', 'Number of the attempt, from 1.'],
    ['patchbay-author', 'bot, person or api.'],
    ['patchbay-sequence', 'The number of this message among those that left in its conversation.'],
  ],
  signatureSays:
    'It is Standard Webhooks, so its libraries work in any language. By hand: the key is what follows whsec_, decoded from base64; signed are id, timestamp and the body as it came, with dots between them. Without our headers the code answers false: whoever finds your address may post anything to it.',
  errorsSays:
    'The two message endpoints answer { "error": "a sentence" }; all others { "error": { "code", "message" } }. Every answer has the header x-request-id.',
} as const
