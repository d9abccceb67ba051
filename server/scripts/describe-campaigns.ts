import { CampaignFile } from '@patchbay/contract/campaigns.ts'

type Field = {
  type?: unknown
  enum?: unknown[]
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
}
type Described = Field & { default?: unknown; description?: string }

/** `docs/campaigns.md`, from the schema that validates a campaign file. */
export function describeCampaigns(): string {
  const fields = Object.entries(CampaignFile.properties as Record<string, Described>)
  const rows = fields.map(([name, field]) => {
    const fallback = 'default' in field ? `\`${JSON.stringify(field.default)}\`` : ''
    return `| \`${name}\` | ${kindOf(field)} | ${fallback} | ${field.description ?? ''} |`
  })
  return `${head}\n| Field | | Default | Meaning |\n|---|---|---|---|\n${rows.join('\n')}\n${tail}`
}

function kindOf({ type, enum: words, minimum, maximum, maxLength, maxItems }: Field): string {
  if (words) return words.join(', ')
  const kind = [type].flat().join(' or ')
  if (minimum !== undefined && maximum !== undefined) return `${kind}, ${minimum} to ${maximum}`
  if (maxLength !== undefined) return `${kind}, up to ${maxLength} characters`
  return maxItems === undefined ? kind : `${kind}, up to ${maxItems}`
}

const head = `# Campaigns

<!-- Made by \`npm run generate\` from contract/campaigns.ts; compared by a test. -->

A campaign is a configuration of the bot. Every account has one from the start that is live, is the default and uses the
built-in engine, so the first message is answered. More are created from a JSON file:

\`\`\`sh
npx patchbay campaign create --account you@example.com --file sales.json   # prints the campaignId
npx patchbay knowledge import --campaign cmp_… --file questions.csv        # answer,question,question…
npx patchbay bot ask --campaign cmp_… "Do you ship abroad?"                # decision, scores, text; nothing is stored
npx patchbay campaign update --id cmp_… --file live.json                   # changes only the fields in the file
\`\`\`

\`sales.json\`, of which only the name is required:

\`\`\`json
{
  "name": "Sales",
  "status": "draft",
  "channels": ["Web chat"],
  "keywords": [{ "text": "price", "match": "word" }],
  "businessName": "Bay Bicycles",
  "greetingText": "Hello {{firstName}}! What would you like to know about our bicycles?",
  "maxMisses": 2
}
\`\`\`

\`questions.csv\`, an answer and the questions it is for in each line, and \`live.json\`:

\`\`\`csv
answer,question,question
"Yes, to all of Europe, in three to five days.",Do you ship abroad?,How long does delivery take?
\`\`\`

\`\`\`json
{ "status": "live" }
\`\`\`

A field that is left out has its default, or in an update keeps its value. Unknown fields are listed as ignored.
`

const tail = `
In texts and answers, \`{{firstName}}\` and \`{{businessName}}\` are replaced by the names. An unknown name is removed:
"Hello {{firstName}}, …" becomes "Hello, …".

## Which campaign answers

The one that the message names (\`campaignId\`), which then stays with the conversation; else one whose keyword matches; else
the one that the conversation has; else the default. An unknown \`campaignId\` is recorded and ignored; if the named
campaign is not live, the message is stored and not answered. The decision and its reason are shown with each message:
\`npx patchbay messages --account E --message M\`.

On a [built-in channel](channels.md#the-bot) a link names the campaign: \`https://t.me/your_bot?start=cmp_…\`. In \`channels\`, a built-in one
is named by its id (\`channel show\`; in the app by its name). A message of the custom channel without a label is never one of a built-in one.

## What it says it is

On built-in channels, \`introduction\` stands before the first answer to somebody, again after 24 hours without the bot, and when it follows a
person; it is part of that answer. Write it in the language of your customers. With \`null\` nobody is told that a bot answers, which the law of
the European Union and the rules of several providers ask for. On the custom channel and in the simulator it is not said: a platform of your own shows
who speaks.

## How it answers

1. A request for a person, or an opt-out, is recognised by phrase lists in six languages and the phrases given above; no
   engine is called.
2. The built-in engine answers with a stored text, word for word, when an entry's score reaches \`answerThreshold\` and leads by
   \`margin\`; offers up to three entries above \`offerThreshold\`; else sends the fallback. Its model is English; other
   languages are compared by character n-grams.
3. A language model gets all entries of the campaign as its only facts, or the nearest that fit, and the last messages of the
   conversation; no tools, and nothing of other contacts. How much fits is a setting of its connection (Settings › AI, *Prompt, in
   tokens*): 3,000 tokens for a server that speaks the protocol of OpenAI, which hold some 40 short entries and suit the 4,096
   that a local server keeps by default; 16,000 for OpenAI and Anthropic, some 300 entries. [What this means for
   questions](../lab/eval/results/README.md#what-a-language-model-is-given) is measured. The answer names the entries that it used. Its output is
   checked against the entries that it was given: links and addresses that are in no entry are removed, and where \`strict\` is on, an answer that names no entry
   becomes the fallback.

After \`maxMisses\` fallbacks in a row a person is called: that one says \`handoverText\` instead of \`fallbackText\`, and the conversation
waits in the app. Earlier and later ones call nobody, so \`fallbackText\` should promise nobody; that of the first campaign asks to put
it another way, and says how to get a person.

The bot answers once the contact has been quiet for \`quietSeconds\`, with one reply to everything that was written. It never
writes after a person has: an answer in progress is discarded. Unanswered questions are stored in groups:
\`npx patchbay campaign show --account E --campaign cmp_…\`.
`
