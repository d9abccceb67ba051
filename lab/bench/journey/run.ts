import { parseArgs } from 'node:util'
import { orInterrupted } from '../interrupt.ts'
import { asText } from '../table.ts'
import { measureJourney, usualPlan } from './measure-journey.ts'
import { journeyTable } from './report.ts'

export async function benchJourney(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rate: { type: 'string', default: String(usualPlan.perSecond) },
      seconds: { type: 'string', default: String(usualPlan.seconds) },
    },
  })
  await using started = new AsyncDisposableStack()
  const plan = { perSecond: Number(values.rate), seconds: Number(values.seconds) }
  const work = measureJourney(started, plan).then((journey) => process.stdout.write(asText(journeyTable(journey))))
  await orInterrupted(work)
}
