import * as z from 'zod/mini'

/** Why a call cannot be undone: the row is no longer as the call left it, or the opposite call is refused. */
const obstacleSchema = z.object({
  /** `changed`, `missing` or `exists` for a row; else the code of the error. */
  code: z.string(),
  /** The title of the row, where the person may read it. */
  title: z.nullable(z.string()),
})

/** A call that was undone, or that could be. */
const undoneCallSchema = z.object({
  id: z.string(),
  action: z.string(),
  at: z.string(),
  titles: z.array(z.string()),
  /** Null where nothing is in the way. */
  obstacle: z.nullable(obstacleSchema),
})

export const undoSchema = z.object({
  /** Newest first. */
  calls: z.array(undoneCallSchema),
  /** How many were undone, or would be in a dry run. */
  undone: z.number(),
  /** Whether there are older calls, for another run. */
  hasMore: z.boolean(),
})

export type UndoAnswer = z.infer<typeof undoSchema>
export type UndoneCall = z.infer<typeof undoneCallSchema>
