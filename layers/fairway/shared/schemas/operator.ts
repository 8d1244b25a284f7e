// What operators read of the people of an installation. Times are ISO 8601 UTC.
import * as z from 'zod/mini'

export const listedPersonSchema = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  createdAt: z.string(),
  /** The newest sign-in that is known; null before the first one. */
  lastSignInAt: z.nullable(z.string()),
  /** The suspension that applies now; `until` is null for one without an end. */
  suspension: z.nullable(z.object({ since: z.string(), until: z.nullable(z.string()), reason: z.string() })),
  /** The address that waits to be confirmed; null without a change of address. */
  pendingEmail: z.nullable(z.string()),
  /** Whether the person is an operator, who cannot be suspended. */
  isOperator: z.boolean(),
})
export type ListedPerson = z.infer<typeof listedPersonSchema>

export const peoplePageSchema = z.object({
  people: z.array(listedPersonSchema),
  /** Leads to the next page; null on the last one. */
  cursor: z.nullable(z.string()),
})

export const personDetailsSchema = z.object({
  person: listedPersonSchema,
  /** `password`, or the id of a provider. */
  waysIn: z.array(z.object({ provider: z.string(), createdAt: z.string(), lastUsedAt: z.nullable(z.string()) })),
  /** The live sessions: how many, when the newest was created, and when one was last used. */
  sessions: z.object({ count: z.number(), newestAt: z.nullable(z.string()), lastUsedAt: z.nullable(z.string()) }),
  organizations: z.array(z.object({ id: z.string(), name: z.string(), role: z.string(), joinedAt: z.string() })),
  /** When two-factor sign-in was turned on, null while it is off; backup codes left; passkeys, which count as two factors. */
  secondFactor: z.object({ since: z.nullable(z.string()), backupCodesLeft: z.number(), passkeys: z.number() }),
  /** When the person last downloaded their data, if it is known. */
  lastExportAt: z.nullable(z.string()),
})
export type PersonDetails = z.infer<typeof personDetailsSchema>
