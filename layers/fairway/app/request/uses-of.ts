import * as z from 'zod/mini'
import { usedBySchema, type UsedBy } from '#fairway/shared/schemas/domain'
import { ActionFailure } from './action-failure'

const schema = z.object({ uses: z.array(usedBySchema).check(z.minLength(1)) })

/** What forbade a change, from its problem `in-use`; undefined for any other failure. */
export const usesOf = (thrown: unknown): UsedBy[] | undefined =>
  thrown instanceof ActionFailure && thrown.code === 'in-use' ? schema.safeParse(thrown.extra).data?.uses : undefined
