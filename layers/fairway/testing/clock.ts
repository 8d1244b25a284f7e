interface Duration {
  days?: number
  hours?: number
  minutes?: number
  seconds?: number
  milliseconds?: number
}

/** The time of a test application: `ctx.now()` in actions, and all expiry times of the platform. */
export interface TestClock {
  now(): Date
  /** Advances the clock by this duration. */
  advance(by: Duration): void
  /** Freezes the clock at this moment; only `set` and `advance` move it afterwards. */
  set(moment: Date | string): void
}

const MINUTE_IN_MS = 60_000

const toMilliseconds = ({ days = 0, hours = 0, minutes = 0, seconds = 0, milliseconds = 0 }: Duration): number =>
  ((days * 24 + hours) * 60 + minutes) * MINUTE_IN_MS + seconds * 1000 + milliseconds

function toTime(moment: Date | string, where: string): number {
  const time = new Date(moment).getTime()
  if (Number.isNaN(time)) throw new TypeError(`${where}: ${String(moment)} is no time`)
  return time
}

/**
 * Creates a clock that runs from the machine's time, or is frozen at the given time. Throws a TypeError for text that is not a
 * time.
 */
export function createClock(start?: Date | string): TestClock {
  const state = { standsAt: start === undefined ? undefined : toTime(start, 'testApp: now'), ahead: 0 }
  const now = () => state.standsAt ?? Date.now() + state.ahead
  return {
    now: () => new Date(now()),
    advance(by) {
      const ms = toMilliseconds(by)
      if (!Number.isFinite(ms)) throw new TypeError(`clock.advance: ${JSON.stringify(by)} is no time`)
      if (state.standsAt === undefined) state.ahead += ms
      else state.standsAt += ms
    },
    set(moment) {
      state.standsAt = toTime(moment, 'clock.set')
    },
  }
}
