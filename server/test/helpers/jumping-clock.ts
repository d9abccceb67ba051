// Preloaded into a server: its wall clock jumps a day ahead at every SIGUSR2 and two days back at every SIGWINCH. The
// monotonic clock and the database's clock are not changed.
const RealDate = Date
const day = 86_400_000
let ahead = 0

class JumpingDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(JumpingDate.now())
    else super(...(given as [number]))
  }
  static override now(): number {
    return RealDate.now() + ahead
  }
}

globalThis.Date = JumpingDate as DateConstructor
process.on('SIGUSR2', () => {
  ahead += day
})
process.on('SIGWINCH', () => {
  ahead -= 2 * day
})
