import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { readMemberToken } from '../../../src/app/website-chat/who/member-token.ts'
import { readToken } from '../../helpers/website-chat/read-token.ts'

const page = resolve(import.meta.dirname, '../../../../docs/website-chat.md')
const [channel, secret] = [`chn_${'1'.repeat(32)}`, 'the secret of the channel']

/** How the code of the page is called in each language, as a reader would; it prints a token of this customer. */
const languages: [fence: string, file: string, command: string, call: string][] = [
  ['js', 'token.mjs', process.execPath, `console.log(chatToken(SECRET, CHANNEL, CUSTOMER))`],
  ['python', 'token_of.py', 'python3', `print(chat_token(SECRET, CHANNEL, CUSTOMER))`],
  ['php', 'token.php', 'php', `echo chat_token(SECRET, CHANNEL, CUSTOMER);`],
  ['ruby', 'token.rb', 'ruby', `puts chat_token(SECRET, CHANNEL, CUSTOMER)`],
]

const customer: Record<string, string> = {
  js: `{ id: '4711', name: 'Ána "A" Lima', email: 'ana@example.com' }`,
  python: `{"id": "4711", "name": 'Ána "A" Lima', "email": "ana@example.com"}`,
  php: `['id' => '4711', 'name' => 'Ána "A" Lima', 'email' => 'ana@example.com']`,
  ruby: `{ id: '4711', name: 'Ána "A" Lima', email: 'ana@example.com' }`,
}

for (const [fence, file, command, call] of languages) {
  test(`the code in ${fence} that makes a token makes one that says who it is for an hour`, async (t) => {
    const text = await readFile(page, 'utf8')
    const code = new RegExp(`^\`\`\`${fence} token\n(.*?)^\`\`\``, 'ms').exec(text)?.[1] ?? ''
    assert.notEqual(code, '', `${page} has no code that begins with \`\`\`${fence} token`)
    await using folder = await mkdtempDisposable(join(tmpdir(), 'patchbay-token-'))
    const given = call
      .replace('SECRET', () => `'${secret}'`)
      .replace('CHANNEL', () => `'${channel}'`)
      .replace('CUSTOMER', () => customer[fence] ?? '')
    await writeFile(join(folder.path, file), `${code}\n${given}\n`)
    const ran = await promisify(execFile)(command, [file], { cwd: folder.path }).catch((error) => error)
    if (ran.code === 'ENOENT') return t.diagnostic(`${command} is not installed; the code was not run`)
    const { exp, ...said } = readToken(ran.stdout.trim(), secret)
    assert.deepEqual(said, { sub: '4711', name: 'Ána "A" Lima', email: 'ana@example.com', aud: channel })
    assert.ok(Math.abs(Number(exp) - Date.now() / 1_000 - 3_600) < 60)
    const asked = { token: ran.stdout.trim(), secrets: [secret], audience: channel, nowSeconds: Date.now() / 1_000 }
    assert.equal(readMemberToken(asked).is, 'member', 'the product takes it')
  })
}
