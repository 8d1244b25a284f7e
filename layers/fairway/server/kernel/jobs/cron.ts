// The due times of a schedule.
import { Cron } from 'croner'

export interface Schedule {
  /** Five fields, or six with seconds. */
  cron: string
  timeZone: string
}

/** Returns the fault of a schedule; undefined when it is valid. */
export function scheduleFault(schedule: Schedule): string | undefined {
  try {
    return nextTick(schedule, new Date()) ? undefined : `“${schedule.cron}” never comes`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * Returns the first time of a schedule after this one. Where clocks are set forward, a time in the gap follows right after it.
 */
export const nextTick = ({ cron, timeZone }: Schedule, after: Date): Date | null =>
  new Cron(cron, { timezone: timeZone, paused: true }).nextRun(after)
