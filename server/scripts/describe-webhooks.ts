import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The languages of the examples that verify a signature, as their code fences name them, and where each is. */
const examples = [
  ['js', 'verify.js'],
  ['python', 'verify.py'],
  ['php', 'verify.php'],
] as const

/** `docs/webhooks.md` with the examples as they are in the files that the app shows, too. */
export async function describeWebhooks(root: string): Promise<string> {
  let text = await readFile(join(root, 'docs/webhooks.md'), 'utf8')
  for (const [language, file] of examples) {
    const code = await readFile(join(root, 'web/src/develop/reference/verify', file), 'utf8')
    const fenced = new RegExp(`(^\`\`\`${language} verify\n).*?(^\`\`\`)`, 'ms')
    if (!fenced.test(text)) throw new Error(`docs/webhooks.md has no code that begins with \`\`\`${language} verify.`)
    text = text.replace(fenced, (_, begin, end) => `${begin}${code}${end}`)
  }
  return text
}
