import { z } from 'zod'
import { pagingShape } from '#fairway/server/kernel/database/read-page'
import { orderSchema } from '#fairway/server/kernel/database/read-sorted'
import { exportShape } from '#fairway/server/kernel/export-rows'
import { isConnectionProvider } from '#fairway/shared/connection-provider'
import { isReservedSlug, isSlug } from '#fairway/shared/org-slug'
import { ORG_ROLES } from '#fairway/shared/roles'
import { emailSchema } from '#fairway/shared/schemas/email'
import { nameSchema } from '#fairway/shared/schemas/name'
import { MEMBER_ORDERS } from './member-list'
import { normalDomain } from './domain-names'

const idSchema = z.string().min(1).max(64)
/** The same on every endpoint: the person knows the consequences of the move and wants it anyway. */
const confirmSchema = z
  .boolean()
  .default(false)
  .describe('Goes ahead although credentials stay behind in another organization, or sessions end.')
const roleSchema = z.enum(ORG_ROLES)
const memberFilter = {
  search: z.string().max(200).default(''),
  role: roleSchema.optional(),
}

const TENANT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** A normalized email domain, or the id of a tenant, like `ProviderProfile.domain`. */
const domainOrTenantSchema = z
  .string()
  .max(253)
  .transform(typed => (TENANT.test(typed.trim().toLowerCase()) ? typed.trim().toLowerCase() : normalDomain(typed)))
  .refine(domain => domain !== '', 'Enter a domain like example.com, or the ID of a tenant.')

/** The bodies and queries of the endpoints below `/_fw/org`. */
export const orgInput = {
  create: z.object({ name: nameSchema(100), confirm: confirmSchema }),
  update: z.object({
    name: nameSchema(100).optional(),
    slug: z
      .string()
      .max(200)
      .transform(typed => typed.trim().toLowerCase())
      .refine(isSlug, 'Use 2 to 40 letters from a to z, digits and single hyphens.')
      .refine(slug => !isReservedSlug(slug), 'This address is reserved. Choose another one.')
      .optional()
      .describe('The address of the organization: `/o/<slug>/…`. The one before leads here for 90 days.'),
    allowedDomain: z.string().max(253).nullable().optional(),
    agentsReadOnly: z.boolean().optional().describe('Whether connected apps and personal tokens may only read here.'),
  }),
  remove: z.object({ name: z.string().max(200) }),
  restore: z.object({ orgId: idSchema }),
  members: z.object({ ...pagingShape, sort: orderSchema(MEMBER_ORDERS).optional(), ...memberFilter }),
  exportMembers: z.object({ ...exportShape, ...memberFilter }),
  changeRole: z.object({ role: roleSchema }),
  /** `receiver` takes over; defaults to the longest-standing owner. */
  leave: z.object({ receiver: emailSchema.optional() }),
  transfer: z.object({ email: emailSchema }),
  active: z.object({ orgId: idSchema.nullable(), confirm: confirmSchema }),
  join: z.object({ orgId: idSchema, confirm: confirmSchema }),
  invite: z.union([
    z.object({
      invitations: z
        .array(z.object({ email: z.string().max(1000), role: roleSchema.default('member') }))
        .min(1, 'Name at least one address.')
        .max(50, 'Invite at most 50 people at once.'),
    }),
    z.object({ email: emailSchema, role: roleSchema.default('member') }),
  ]),
  answer: z.object({ token: z.string().max(200).optional() }),
  accept: z.object({ token: z.string().max(200).optional(), confirm: confirmSchema }),
  authProvider: z
    .object({
      provider: z.string().min(1).max(64).nullable(),
      domain: domainOrTenantSchema.nullable().default(null),
      guests: z
        .boolean()
        .default(false)
        .describe('Leaves members outside the proved domains their other ways in. Only for a connection.'),
      confirm: confirmSchema,
    })
    .refine(({ provider, domain }) => provider !== null || domain === null, {
      path: ['domain'],
      message: 'Choose a provider for this domain.',
    })
    .refine(({ provider, guests }) => !guests || (provider !== null && isConnectionProvider(provider)), {
      path: ['guests'],
      message: 'Only a connection can leave out guests.',
    }),
  secondFactor: z.object({
    isRequired: z.boolean(),
    /** Counted from the start of the policy or the day the person joined, whichever is later. */
    graceDays: z.int().min(0).max(365).default(7),
  }),
  appRoles: z.object({ appId: z.string().max(64).optional() }),
  assignAppRole: z.object({
    appId: z.string().max(64).optional(),
    email: emailSchema,
    role: z.string().max(64).nullable(),
  }),
}
