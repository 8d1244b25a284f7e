import * as z from 'zod/mini'
import { readDeviceSetting, RECENTS_SETTING, writeDeviceSetting } from '../utils/device-setting'

const MOST = 6
const MOST_ORGANIZATIONS = 10

const recentSchema = z.object({
  kind: z.enum(['page', 'action', 'item']),
  /** The address of a page or an item, or the name of an action. */
  key: z.string(),
  /** The label of an item. Pages and actions are named in the reader's language. */
  label: z.optional(z.string()),
  icon: z.optional(z.string()),
})
const keptSchema = z.object({ userId: z.string(), byOrg: z.record(z.string(), z.array(recentSchema)) })

/** An entry that the user opened from the palette. */
export type Recent = z.infer<typeof recentSchema>

/** The owner: entries are kept per user and organization. */
interface RecentsOf {
  userId: string
  orgId: string | null
}

/** The recent entries of this user, newest first. */
export const readRecents = ({ userId, orgId }: RecentsOf): Recent[] =>
  (readKept(userId)[orgId ?? ''] ?? []).slice(0, MOST)

/** The entries of this user in each organization. */
function readKept(userId: string): Record<string, Recent[]> {
  const { data } = keptSchema.safeParse(parse(readDeviceSetting(RECENTS_SETTING)))
  return data?.userId === userId ? data.byOrg : {}
}

/** Stores an opened entry on this device and returns the updated list. */
export function addRecent(whose: RecentsOf, recent: Recent): Recent[] {
  const others = readRecents(whose).filter(({ kind, key }) => kind !== recent.kind || key !== recent.key)
  const entries = [recent, ...others].slice(0, MOST)
  const { userId, orgId } = whose
  const { [orgId ?? '']: _before, ...ofOthers } = readKept(userId)
  const byOrg = Object.fromEntries([...Object.entries(ofOthers).slice(1 - MOST_ORGANIZATIONS), [orgId ?? '', entries]])
  writeDeviceSetting(RECENTS_SETTING, JSON.stringify({ userId, byOrg }))
  return entries
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}
