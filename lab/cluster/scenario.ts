import type { Figures } from './report.ts'
import type { Need } from './requirements.ts'

/** What a scenario is given: everything it starts goes on `started`, everything it writes into `folder`. */
export type Place = {
  started: AsyncDisposableStack
  folder: string
  logFolder: string
  random: () => number
}

export type Scenario = {
  name: string
  title: string
  needs: Need[]
  run: (place: Place) => Promise<Figures>
}
