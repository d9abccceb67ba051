import { parseArgs } from 'node:util'

export type Options = {
  /** Names of scenarios; none: all. */
  only: string[]
  seed: number
  outFile: string | undefined
  logFolder: string | undefined
}

export const usage = `npm run test:cluster -- [NAME]… [--seed N] [--out FILE] [--logs FOLDER]

  NAME    a scenario; without one all, one after another
  --seed  seed of the random numbers; printed, so that a run can be repeated
  --out   write the results to this file, as JSON
  --logs  keep the logs of everything that was started in this folder
`

export function readOptions(args: string[]): Options | undefined {
  const text = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    args,
    options: { seed: text, out: text, logs: text, help: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  if (values.help) return undefined
  const { seed } = values
  if (seed !== undefined && !/^\d{1,15}$/.test(seed)) throw new Error(`--seed must be a number; it is "${seed}".`)
  return {
    only: positionals.flatMap((names) => names.split(',')),
    seed: seed === undefined ? Math.trunc(Math.random() * 2 ** 31) : Number(seed),
    outFile: values.out,
    logFolder: values.logs,
  }
}
