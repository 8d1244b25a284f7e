import * as z from 'zod/mini'
import { shownPersonSchema } from './person'

/** A team of an organization. Times are ISO 8601 UTC. */
export const teamSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Whether a group of the directory decides its name and its people. */
  isFromDirectory: z.boolean(),
  /** How many members are in it, and the first of them by name. */
  total: z.int(),
  people: z.array(shownPersonSchema),
  createdAt: z.string(),
})
export type Team = z.infer<typeof teamSchema>

/** A team with everyone in it. */
export const wholeTeamSchema = z.extend(teamSchema, {
  serviceAccounts: z.array(z.object({ id: z.string(), name: z.string() })),
})
export type WholeTeam = z.infer<typeof wholeTeamSchema>

const rowsOfTableSchema = z.array(z.object({ table: z.string(), rows: z.int() }))

/** What a team holds; a problem `in-use` has it as `holders`. */
export const teamHoldersSchema = z.object({
  /** How many people and service accounts are in it, and the first people. */
  total: z.int(),
  people: z.array(shownPersonSchema),
  /** How many roles are given for it. */
  roles: z.int(),
  /** The rows that are shared with it, and those whose column names it. */
  shared: rowsOfTableSchema,
  rows: rowsOfTableSchema,
})
export type TeamHolders = z.infer<typeof teamHoldersSchema>
