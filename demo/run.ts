import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { business } from './business.ts'
import { startDemo } from './demo.ts'
import { endWhenAsked } from './end-when-asked.ts'

const { values } = parseArgs({
  options: { folder: { type: 'string', default: 'demo-data' }, port: { type: 'string', default: '8443' } },
})
// Before it is there: the server ends with this process.
let stop: () => Promise<void> = async () => process.exit(1)
endWhenAsked(() => stop())
process.stdout.write('Filling a bicycle shop with conversations; the first time takes about a minute …\n')
const demo = await startDemo(resolve(values.folder), Number(values.port)).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
stop = demo.stop
const { email, password } = business.owner
process.stdout.write(`
  ${business.name} is at ${demo.url}
  E-mail: ${email}
  Password: ${password}

  A page of the shop, with the chat on it: ${demo.shopUrl}
  (open the address above once before, so that the browser trusts it)

  Its data are in ${values.folder}; remove the folder to begin anew. Ctrl-C stops it.

`)
await demo.ended
