import { z } from 'zod'
import { optionalNameSchema } from '#fairway/shared/schemas/name'
import { WEBHOOK_FORMATS, WEBHOOK_NAME_LENGTH, WEBHOOK_SCOPES } from '#fairway/shared/schemas/webhook'
import { patternsSchema } from './event-types'

const LONGEST_OVERLAP_IN_HOURS = 168

const scope = z.enum(WEBHOOK_SCOPES).default('organization')
const url = z.string().trim().min(1)
const format = z.enum(WEBHOOK_FORMATS)
/** Null, like an empty text, shows the host of the address. */
const name = optionalNameSchema(WEBHOOK_NAME_LENGTH)
  .nullable()
  .transform(text => text || null)
  .optional()

/** The input of operations on webhooks. */
export const webhookInput = {
  list: z.object({ scope }),
  create: z.strictObject({ scope, name, url, types: patternsSchema, format: format.default('standard') }),
  change: z
    .strictObject({
      name,
      url: url.optional(),
      types: patternsSchema.optional(),
      format: format.optional(),
      state: z.enum(['on', 'off']).optional(),
    })
    .refine(
      ({ name, url, types, format, state }) => [name, url, types, format, state].some(each => each !== undefined),
      'requires name, url, types, format or state',
    ),
  renew: z.strictObject({ overlapInHours: z.number().int().min(0).max(LONGEST_OVERLAP_IN_HOURS).default(24) }),
}
