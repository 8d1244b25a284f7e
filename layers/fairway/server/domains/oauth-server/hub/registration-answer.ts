import { z } from 'zod'

const differenceSchema = z.object({
  field: z.enum(['app', 'client_id', 'origin', 'callback_path', 'redirect_uri', 'capability']),
  /** What the hub knows; null where it knows nothing. */
  registered: z.string().nullable(),
  /** What the application says. */
  sent: z.string(),
  /** Why the hub has ignored the entry of this application. */
  fault: z.string().optional(),
})

/** One thing in which an application differs from what the hub knows of it. */
export type RegistrationDifference = z.output<typeof differenceSchema>

/** What the hub tells another application about its registration. */
export const registrationAnswerSchema = z.object({
  registered: z.boolean(),
  /** What differs, in words. */
  reason: z.string().optional(),
  differences: z.array(differenceSchema),
  /** A token of the hub for whoever asked: it shows that the hub has the same secret. */
  proof: z.string().max(4096),
})
export type RegistrationAnswer = z.output<typeof registrationAnswerSchema>

const names: Record<RegistrationDifference['field'], string> = {
  app: 'application id',
  client_id: 'client id',
  origin: 'origin',
  callback_path: 'callback path',
  redirect_uri: 'redirect address',
  capability: 'capability',
}

/** A difference as a sentence without a full stop. */
export function describeDifference({ field, registered, sent, fault }: RegistrationDifference): string {
  if (fault !== undefined) return `the hub ignores its entry for ${sent}: ${fault}`
  if (registered === null) return `the ${names[field]} ${sent} is not registered`
  return `the ${names[field]} is ${sent}, and ${registered} is registered`
}
