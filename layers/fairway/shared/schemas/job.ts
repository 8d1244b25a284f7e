import * as z from 'zod/mini'

/**
 * `scheduled` waits for its time, `ready` for a worker, `blocked` for another job of its limit. `failed` has used all its
 * attempts and is kept until it is retried or deleted.
 */
export const JOB_STATES = ['scheduled', 'ready', 'blocked', 'running', 'done', 'failed', 'cancelled'] as const
export type JobState = (typeof JOB_STATES)[number]

/** A job as seen by the person who queued it. */
export const followedJobSchema = z.object({
  name: z.string(),
  state: z.enum(JOB_STATES),
  /** The progress and its total; null until the job reports them. */
  done: z.nullable(z.number()),
  total: z.nullable(z.number()),
  /** Its return value; null until it is done. */
  result: z.unknown(),
})
export type FollowedJob = z.output<typeof followedJobSchema>
