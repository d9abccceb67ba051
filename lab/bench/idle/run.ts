import { parseArgs } from 'node:util'
import { orInterrupted } from '../interrupt.ts'
import { asText } from '../table.ts'
import { measureIdle, usualTimes } from './measure-idle.ts'
import { idleTable } from './report.ts'

export async function benchIdle(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      settle: { type: 'string', default: String(usualTimes.settleSeconds) },
      seconds: { type: 'string', default: String(usualTimes.seconds) },
    },
  })
  await using started = new AsyncDisposableStack()
  const times = { settleSeconds: Number(values.settle), seconds: Number(values.seconds) }
  const work = measureIdle(started, times).then((idle) => process.stdout.write(asText(idleTable(idle))))
  await orInterrupted(work)
}
