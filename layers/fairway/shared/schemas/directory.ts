import * as z from 'zod/mini'
import { PROVISIONED_ROLES } from './identity-connection'
import { shownPersonSchema } from './person'

/** The directory of an organization, without its token. Times are ISO 8601 UTC. */
export const directorySchema = z.object({
  endpoint: z.string(),
  /** The last four characters of the token. */
  tokenEnd: z.string(),
  /** The people that it has sent, and those of them who are active. */
  people: z.int(),
  active: z.int(),
  createdAt: z.string(),
  lastUsedAt: z.nullable(z.string()),
})
export type Directory = z.infer<typeof directorySchema>

/** What a group gives to its people: a role in the organization or in the application. It may also be a team. */
export const mappedGroupSchema = z.object({
  /** The id of the group. */
  group: z.string(),
  orgRole: z.nullable(z.enum(PROVISIONED_ROLES)),
  appId: z.nullable(z.string()),
  role: z.nullable(z.string()),
  isTeam: z.boolean(),
})
export type MappedGroup = z.infer<typeof mappedGroupSchema>

/** The groups of a directory by name, and what they give, in the order that decides. */
export const directoryMappingSchema = z.object({
  groups: z.array(z.object({ id: z.string(), name: z.string(), people: z.int() })),
  mapping: z.array(z.extend(mappedGroupSchema, { name: z.string() })),
  /** The roles that the application declares. */
  appRoles: z.nullable(z.object({ appId: z.string(), roles: z.array(z.string()) })),
})
export type DirectoryMapping = z.infer<typeof directoryMappingSchema>

/** A role of one person that changes; `appId` is null for the role in the organization. */
export const roleChangeSchema = z.object({
  person: shownPersonSchema,
  appId: z.nullable(z.string()),
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
})
export type RoleChange = z.infer<typeof roleChangeSchema>

/** The teams that a mapping adds and deletes: how many people are in them, and how many items the deleted ones have. */
const teamPlanSchema = z.object({
  added: z.array(z.object({ name: z.string(), people: z.int() })),
  deleted: z.array(z.object({ name: z.string(), people: z.int(), items: z.int() })),
})
export type TeamPlan = z.infer<typeof teamPlanSchema>

/** The first changes of roles and how many there are, and the changes of teams. */
export const mappingPlanSchema = z.object({ total: z.int(), changes: z.array(roleChangeSchema), teams: teamPlanSchema })
export type MappingPlan = z.infer<typeof mappingPlanSchema>
