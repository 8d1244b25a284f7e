import * as z from 'zod/mini'
import { JOB_STATES } from './job-states'

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
