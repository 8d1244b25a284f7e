import * as z from 'zod/mini'
import { MCP_SCOPES } from '../scopes'
import { shownPersonSchema } from './person'

/** The roles of a service account; it is never an owner. */
export const SERVICE_ROLES = ['admin', 'member'] as const

/** A key of a service account, never the key itself. Times are ISO 8601 UTC. */
const serviceKeySchema = z.object({
  id: z.string(),
  /** The last four characters. */
  end: z.string(),
  createdAt: z.string(),
  expiresAt: z.string(),
  lastUsedAt: z.nullable(z.string()),
})
export type ServiceKey = z.infer<typeof serviceKeySchema>

/** A program of an organization. Times are ISO 8601 UTC. */
export const serviceAccountSchema = z.object({
  /** The `client_id`. */
  id: z.string(),
  name: z.string(),
  role: z.enum(SERVICE_ROLES),
  appRoles: z.array(z.string()),
  scopes: z.array(z.enum(MCP_SCOPES)),
  readOnly: z.boolean(),
  /** Whether it runs destructive tools without an approval. */
  destructive: z.boolean(),
  /** Whether it can sign token requests with keys of its own. */
  hasJwks: z.boolean(),
  /** The member who takes what a field of people needs; null while there is none. Then it is paused. */
  owner: z.nullable(shownPersonSchema),
  /** The address of who made it. */
  createdBy: z.string(),
  createdAt: z.string(),
  /** Exact to five minutes. */
  lastUsedAt: z.nullable(z.string()),
  /** The live keys, oldest first. */
  keys: z.array(serviceKeySchema),
})
export type ServiceAccount = z.infer<typeof serviceAccountSchema>
