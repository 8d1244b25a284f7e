// The operators' view of the people of an installation. Times are ISO 8601 UTC.
import * as z from 'zod/mini'
import { JOB_STATES } from './job-states'
import { shownPersonSchema } from './person'
import { planViewSchema } from './plan'
import { totalShape } from './total'
import { DELIVERY_STATES } from './webhook'

/** What operators can sort their lists by. */
export const PERSON_ORDERS = ['name', 'createdAt', 'lastSignInAt'] as const
export const ORGANIZATION_ORDERS = ['name', 'createdAt', 'members'] as const
export const JOB_ORDERS = ['name', 'attempts', 'runAt', 'queued'] as const
export const MAIL_ORDERS = ['name', 'createdAt', 'failedAt'] as const

/** A field as the value of `sort`; a leading hyphen sorts in descending order. */
export type SortBy<Fields extends readonly string[]> = Fields[number] | `-${Fields[number]}`

export const listedPersonSchema = z.extend(shownPersonSchema, {
  id: z.string(),
  emailVerified: z.boolean(),
  createdAt: z.string(),
  /** The newest known sign-in; null before the first one. */
  lastSignInAt: z.nullable(z.string()),
  /** The suspension that applies now; `until` is null for one without an end. */
  suspension: z.nullable(z.object({ since: z.string(), until: z.nullable(z.string()), reason: z.string() })),
  /** The address that waits for confirmation; null without a change of address. */
  pendingEmail: z.nullable(z.string()),
  /** Whether the person is an operator, who cannot be suspended. */
  isOperator: z.boolean(),
})
export type ListedPerson = z.infer<typeof listedPersonSchema>

const personInListSchema = z.extend(listedPersonSchema, {
  /** The names of the organizations, first joined first. */
  organizations: z.array(z.string()),
  /** Whether a second factor is set up: an authenticator app or a passkey. */
  hasSecondFactor: z.boolean(),
})
export type PersonInList = z.infer<typeof personInListSchema>

export const peoplePageSchema = z.object({
  people: z.array(personInListSchema),
  ...totalShape,
  /** Leads to the next page; null on the final page. */
  cursor: z.nullable(z.string()),
})

export const personDetailsSchema = z.object({
  person: listedPersonSchema,
  /** `password`, or the id of a provider. */
  waysIn: z.array(z.object({ provider: z.string(), createdAt: z.string(), lastUsedAt: z.nullable(z.string()) })),
  /** The live sessions: how many, when the newest was created, and the most recent use. */
  sessions: z.object({ count: z.number(), newestAt: z.nullable(z.string()), lastUsedAt: z.nullable(z.string()) }),
  organizations: z.array(z.object({ id: z.string(), name: z.string(), role: z.string(), joinedAt: z.string() })),
  /** When two-factor authentication was turned on, null while it is off; backup codes left; passkeys, which count as two factors. */
  secondFactor: z.object({ since: z.nullable(z.string()), backupCodesLeft: z.number(), passkeys: z.number() }),
  /** The versions of the terms that the person has accepted, the newest first. */
  terms: z.array(z.object({ version: z.string(), acceptedAt: z.string() })),
  /** The person's most recent download of their data, if it is known. */
  lastExportAt: z.nullable(z.string()),
})
export type PersonDetails = z.infer<typeof personDetailsSchema>

const listedOrganizationSchema = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.string(),
  members: z.number(),
  /** The longest-standing owner; null without members. */
  owner: z.nullable(shownPersonSchema),
  /** Until when a deleted organization can be restored; null while it is in use. */
  purgeAt: z.nullable(z.string()),
})

export const organizationsPageSchema = z.object({
  organizations: z.array(z.extend(listedOrganizationSchema, { plan: z.nullable(z.string()) })),
  ...totalShape,
  /** Leads to the next page; null on the final page. */
  cursor: z.nullable(z.string()),
})

export const organizationDetailsForOperatorsSchema = z.object({
  organization: listedOrganizationSchema,
  /** Owners first, 100 at most. */
  members: z.array(z.extend(shownPersonSchema, { id: z.string(), role: z.string() })),
  plan: z.nullable(planViewSchema),
  /** All plans, to choose from. */
  plans: z.array(z.object({ name: z.string(), title: z.string() })),
})

export const listedJobSchema = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(JOB_STATES),
  attempts: z.number(),
  runAt: z.string(),
  done: z.nullable(z.number()),
  total: z.nullable(z.number()),
  error: z.nullable(z.string()),
  /** The person who queued it; null for jobs of the platform and of deleted accounts. */
  person: z.nullable(shownPersonSchema),
  /** The organization that it runs for; null without one. `name` is null for one that was removed. */
  organization: z.nullable(z.object({ id: z.string(), name: z.nullable(z.string()) })),
})

export const listedMailSchema = z.object({
  id: z.string(),
  /** The mail's name, for example `invitation`. */
  name: z.string(),
  to: z.string(),
  /** The receiver; null where the address is unknown. */
  person: z.nullable(shownPersonSchema),
  createdAt: z.string(),
  /** When sending was given up, and why; null while it waits. */
  failedAt: z.nullable(z.string()),
  error: z.nullable(z.string()),
  /** Whether its text still exists. */
  canBeSent: z.boolean(),
})

export const listedDeliverySchema = z.object({
  id: z.string(),
  host: z.string(),
  orgId: z.nullable(z.string()),
  type: z.string(),
  state: z.enum(DELIVERY_STATES),
  tries: z.number(),
  queuedAt: z.string(),
  nextTryAt: z.nullable(z.string()),
  status: z.nullable(z.number()),
  fault: z.nullable(z.string()),
})

export const healthSchema = z.object({
  version: z.string(),
  node: z.string(),
  startedAt: z.string(),
  database: z.object({ bytes: z.number(), fault: z.nullable(z.string()) }),
  /** Free and total bytes of the disk of the data folder; null where there is none. */
  disk: z.nullable(z.object({ free: z.number(), total: z.number() })),
  /** The time of the most recent `fw backup`, ISO 8601; null before the first. */
  backupAt: z.nullable(z.string()),
  migrations: z.object({ count: z.number(), newest: z.nullable(z.string()) }),
  jobs: z.object({ waiting: z.number(), running: z.number(), failed: z.number(), oldestDueAt: z.nullable(z.string()) }),
  mails: z.object({ waiting: z.number(), failed: z.number(), isSet: z.boolean() }),
  people: z.number(),
  organizations: z.number(),
})

export type Health = z.infer<typeof healthSchema>

const settingSchema = z.object({
  name: z.string(),
  group: z.string(),
  description: z.string(),
  /** Its value; null where it is not set, and for a secret. */
  value: z.nullable(z.string()),
  isSet: z.boolean(),
  isSecret: z.boolean(),
  /** The behaviour where it is not set. */
  unset: z.nullable(z.string()),
})
export type Setting = z.infer<typeof settingSchema>

export const settingsSchema = z.object({ settings: z.array(settingSchema) })
