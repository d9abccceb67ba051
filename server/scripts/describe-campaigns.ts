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

/** `docs/campaigns.md`, from the schema by which a file is read. */
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
built-in engine, so the first message is answered. More are made from a JSON file:

\`\`\`sh
npx patchbay campaign create --account you@example.com --file sales.json   # prints the campaignId
npx patchbay knowledge import --campaign cmp_… --file questions.csv        # answer,question,question…
npx patchbay bot ask --campaign cmp_… "Do you ship abroad?"                # decision, scores, text; nothing is kept
npx patchbay campaign update --id cmp_… --file live.json                   # changes what the file names
\`\`\`

A field that is left out keeps its default, or in an update what it was. Fields that mean nothing are listed as ignored.
`

const tail = `
In texts and answers, \`{{firstName}}\` and \`{{businessName}}\` become the names; where one is not known, the text closes
over the gap.

## Which campaign answers

The one that the message names (\`campaignId\`), which then stays with the conversation; else one whose keyword matches; else
the one that the conversation has; else the default. A name that is not known is noted and passed over; a named campaign
that is not live keeps the message and says nothing. What was decided, and why, stands beside each message:
\`npx patchbay messages --account E --message M\`.

## What it says

1. A wish for a person, or to be left alone, is heard by rule, in six languages and the phrases given above; no engine is asked.
2. The built-in engine answers with a stored text, word for word, when an entry is near enough and clearly ahead; offers up
   to three when some are not quite near; else says the fallback. Its weights are English; other languages are compared by
   runs of letters.
3. A language model gets the nearest entries as its only facts, no tools, and nothing of other contacts. What it writes is
   checked: links and addresses that are in no entry are taken out, and where \`strict\` is on, an answer that names no entry
   becomes the fallback.

The bot answers when the contact has been quiet for a moment, once, to everything that was written. It never writes after a
person has: an answer that was being thought out is thrown away. What it could not answer is kept in groups:
\`npx patchbay campaign show --account E --campaign cmp_…\`.
`
