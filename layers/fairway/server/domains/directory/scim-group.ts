// A group as a document (RFC 7643 §4.2), and what a PATCH says about its members.
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { SCIM_PREFIX } from '#fairway/shared/paths'
import { ScimError } from './scim-error'
import { type Change, namedIn, type ScimDocument, withKnownNames } from './scim-patch'
import type { directoryGroups } from './tables'

export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'

/** A row as it is read; times in milliseconds. */
export type GroupRow = Pick<typeof directoryGroups.$inferSelect, 'id' | 'orgId' | 'displayName' | 'externalId'> & {
  createdAt: number
  updatedAt: number
}

/** People of a directory who enter a group (`add`), leave it, or are all of its members (`set`). */
export interface MemberChange {
  kind: 'add' | 'remove' | 'set'
  ids: string[]
}

const membersSchema = z
  .array(z.looseObject({ value: z.string().min(1).max(100) }))
  .transform(members => [...new Set(members.map(({ value }) => value))])
const groupSchema = z.looseObject({
  displayName: z.string().trim().min(1).max(500),
  externalId: z.string().max(500).nullish(),
  members: membersSchema.nullish(),
})

/** Reads a group document. Throws ScimError `invalidValue`. */
export function readGroup(document: ScimDocument) {
  const group = groupSchema.safeParse(withKnownNames(document, ['displayName', 'externalId', 'members']))
  if (!group.success) throw ScimError.of(group.error)
  const { displayName, externalId, members } = group.data
  return { displayName, externalId: externalId || null, members: members ?? [] }
}

/** The changes of members in a PATCH, in order. Throws ScimError `invalidPath` and `invalidValue`. */
export function membersIn(changes: readonly Change[]): MemberChange[] {
  const merged: MemberChange[] = []
  for (const change of changes.map(toMemberChange)) {
    const last = merged.at(-1)
    // Okta sends an operation for each member.
    if (last && last.kind === change.kind && change.kind !== 'set') last.ids.push(...change.ids)
    else merged.push(change)
  }
  return merged
}

function toMemberChange({ op, path, value }: Change): MemberChange {
  if (path.filter || path.sub) return { kind: 'remove', ids: [idIn(op, path)] }
  if (op === 'remove') return value === undefined ? { kind: 'set', ids: [] } : { kind: 'remove', ids: namedIn(value) }
  const members = membersSchema.safeParse([value ?? []].flat())
  if (!members.success) throw ScimError.of(members.error)
  return { kind: op === 'add' ? 'add' : 'set', ids: members.data }
}

/** The member that `members[value eq "…"]` names. */
function idIn(op: Change['op'], { filter = [], sub }: Change['path']): string {
  const [compared, ...more] = filter
  if (op !== 'remove' || sub || more.length > 0 || compared?.attribute !== 'value')
    throw new ScimError('Name members by members[value eq "…"].', 'invalidPath')
  return compared.value
}

/** The document of a row, with its members unless they are undefined. */
export function toGroupDocument(
  app: App,
  row: GroupRow,
  members?: readonly { personId: string; display: string }[],
): ScimDocument {
  const at = (path: string) => `${app.config.baseUrl}${SCIM_PREFIX}/${path}`
  return {
    schemas: [GROUP_SCHEMA],
    id: row.id,
    ...(row.externalId === null ? {} : { externalId: row.externalId }),
    displayName: row.displayName,
    ...(members && {
      members: members.map(({ personId, display }) => {
        return { value: personId, display, type: 'User', $ref: at(`Users/${personId}`) }
      }),
    }),
    meta: {
      resourceType: 'Group',
      created: new Date(row.createdAt).toISOString(),
      lastModified: new Date(row.updatedAt).toISOString(),
      location: at(`Groups/${row.id}`),
    },
  }
}
