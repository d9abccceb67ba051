import type { Idle } from './idle/measure-idle.ts'
import type { Journey } from './journey/measure-journey.ts'
import type { Machine } from './machine.ts'
import type { Options } from './options.ts'
import type { AnswerCost } from './sections/answers.ts'
import type { Bot } from './sections/bot.ts'
import type { Delivery } from './sections/delivery.ts'
import type { FilesBeside } from './sections/files.ts'
import type { Grants } from './sections/grants.ts'
import type { GrowthPoint } from './sections/growth.ts'
import type { Rounds } from './sections/rounds.ts'
import type { Whole } from './sections/whole.ts'

/** Everything one run has found out. */
export type Result = {
  startedAt: string
  machine: Machine
  settings: Pick<Options, 'quick' | 'connections' | 'rounds' | 'secondsPerTurn' | 'rows'>
  rounds: Rounds
  answers: AnswerCost[]
  delivery: Delivery
  whole: Whole
  idle: Idle | undefined
  bot: Bot | undefined
  journey: Journey | undefined
  grants: Grants
  growth: { empty: GrowthPoint; filled: GrowthPoint } | undefined
  files: FilesBeside | undefined
}
