/**
 * `scheduled` waits for its time, `ready` for a worker, `blocked` for another job of its limit. `failed` has used all its
 * attempts and is kept until it is retried or deleted.
 */
export const JOB_STATES = ['scheduled', 'ready', 'blocked', 'running', 'done', 'failed', 'cancelled'] as const
export type JobState = (typeof JOB_STATES)[number]
