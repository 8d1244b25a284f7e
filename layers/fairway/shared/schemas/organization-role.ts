import * as z from 'zod/mini'
import { shownPersonSchema } from './person'

/** A member who holds a role, or a service account, whose `email` is its ID. */
const roleHolderSchema = z.object({
  ...shownPersonSchema.shape,
  isAccount: z.boolean(),
  /** The team whose rows the role counts for; null for the whole organization. */
  team: z.nullable(z.object({ id: z.string(), name: z.string() })),
})
export type RoleHolder = z.infer<typeof roleHolderSchema>

/** A role that owners made of the application's permissions. */
const organizationRoleSchema = z.object({
  id: z.string(),
  name: z.string(),
  permissions: z.array(z.string()),
  /** Its permissions that the application no longer declares. They grant nothing. */
  undeclared: z.array(z.string()),
  /** The first hundred by name; null where you may not see them. */
  holders: z.nullable(z.array(roleHolderSchema)),
  /** Null where you may not see them. */
  holderCount: z.nullable(z.int()),
  isMine: z.boolean(),
})
export type OrganizationRole = z.infer<typeof organizationRoleSchema>

/** The permissions that the application declares, and the roles of an organization. */
export const organizationRolesSchema = z.object({
  permissions: z.array(
    z.object({
      name: z.string(),
      /** What it allows, in the words of the declaration. */
      text: z.string(),
      /** The roles of the application that carry it. */
      appRoles: z.array(z.string()),
    }),
  ),
  roles: z.array(organizationRoleSchema),
  /** The permissions that you hold. */
  mine: z.array(z.string()),
  canManage: z.boolean(),
})
export type OrganizationRoles = z.infer<typeof organizationRolesSchema>

/** Who loses which permissions by a change of a role, or by its deletion. */
export const rolePlanSchema = z.object({
  /** The name of the role. */
  name: z.string(),
  total: z.int(),
  /** The first two hundred. */
  losses: z.array(z.object({ holder: roleHolderSchema, permissions: z.array(z.string()) })),
})
export type RolePlan = z.infer<typeof rolePlanSchema>

/** The role that was assigned or taken away. */
export const assignedRoleSchema = z.object({
  name: z.string(),
  /** The name of the service account; null for a member. */
  account: z.nullable(z.string()),
  /** The name of the team whose rows it counts for; null for the whole organization. */
  team: z.nullable(z.string()),
})
