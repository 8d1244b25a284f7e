import { z } from 'zod'

const text = z.string().trim().max(200).optional()
const time = z.iso
  .datetime({ offset: true })
  .transform(value => new Date(value))
  .optional()

/** The filters of the operators' view as query parameters; times are ISO 8601. */
export const eventFilterShape = { kind: text, subject: text, clientAddress: text, from: time, until: time }
