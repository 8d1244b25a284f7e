import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { SCIM_PREFIX } from '#fairway/shared/paths'
import { claimedEmailSchema } from '#fairway/shared/schemas/email'
import { ScimError } from './scim-error'
import { type ScimDocument, withKnownNames } from './scim-patch'
import type { directoryPeople } from './tables'

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'

/** A row as it is read; times in milliseconds. */
export type PersonRow = Omit<
  typeof directoryPeople.$inferSelect,
  'active' | 'createdAt' | 'madeAccount' | 'updatedAt'
> & {
  active: number
  madeAccount: number
  createdAt: number
  updatedAt: number
}

/** What a document says that this application uses. */
export interface ReadUser {
  userName: string
  externalId: string | null
  email: string
  name: string | null
  active: boolean
  /** The attributes to keep, without those that the server sets. */
  data: ScimDocument
}

/** Set by the server, read-only, or never kept. */
const LEFT_OUT = new Set(['id', 'meta', 'schemas', 'groups', 'password', 'username', 'externalid', 'active'])

/** The names that this application reads. */
const NAMES = ['userName', 'externalId', 'displayName', 'active', 'name', 'emails']

const text = z.string().trim().min(1).max(500)
const userSchema = z.looseObject({
  userName: text,
  externalId: z.string().max(500).nullish(),
  // Entra ID sends texts.
  active: z.union([z.boolean(), z.string()]).nullish(),
  displayName: z.string().max(500).nullish(),
  name: z
    .looseObject({
      formatted: z.string().nullish(),
      givenName: z.string().nullish(),
      familyName: z.string().nullish(),
    })
    .nullish(),
  emails: z
    .array(z.looseObject({ value: z.string().nullish(), primary: z.union([z.boolean(), z.string()]).nullish() }))
    .nullish(),
})

/** Reads a user document. Names are compared without case. Throws ScimError `invalidValue`. */
export function readUser(document: ScimDocument): ReadUser {
  const known = withKnownNames(document, NAMES)
  const user = userSchema.safeParse(known)
  if (!user.success) throw ScimError.of(user.error)
  const { userName, externalId = null, active } = user.data
  return {
    userName,
    externalId: externalId || null,
    email: addressOf(user.data),
    name: nameOf(user.data),
    active: active === undefined || active === null || String(active).toLowerCase() === 'true',
    data: Object.fromEntries(Object.entries(known).filter(([key]) => !LEFT_OUT.has(key.toLowerCase()))),
  }
}

type User = z.output<typeof userSchema>

/** The address of the account: the user name where it is one, else the primary address. */
function addressOf({ userName, emails }: User): string {
  const listed = emails ?? []
  const primary = listed.find(({ primary: isFirst }) => String(isFirst).toLowerCase() === 'true') ?? listed[0]
  const address = [userName, primary?.value ?? '']
    .map(each => claimedEmailSchema.safeParse(each))
    .find(each => each.success)
  if (!address?.success) throw new ScimError('The user has no email address.', 'invalidValue')
  return address.data
}

function nameOf({ displayName, name }: User): string | null {
  const parts = [name?.givenName, name?.familyName].filter(Boolean).join(' ')
  return (displayName || name?.formatted || parts || '').trim().slice(0, 100) || null
}

/** The document of a row (RFC 7643 §4.1). Groups are read-only. */
export function toUserDocument(
  app: App,
  row: PersonRow,
  groups: readonly { groupId: string; display: string }[] = [],
): ScimDocument {
  const data: ScimDocument = JSON.parse(row.data)
  return {
    schemas: [USER_SCHEMA, ...Object.keys(data).filter(key => key.startsWith('urn:'))],
    id: row.id,
    ...(row.externalId === null ? {} : { externalId: row.externalId }),
    userName: row.userName,
    ...data,
    active: row.active === 1,
    ...(groups.length > 0 && {
      groups: groups.map(({ groupId, display }) => {
        const $ref = `${app.config.baseUrl}${SCIM_PREFIX}/Groups/${groupId}`
        return { value: groupId, display, type: 'direct', $ref }
      }),
    }),
    meta: {
      resourceType: 'User',
      created: new Date(row.createdAt).toISOString(),
      lastModified: new Date(row.updatedAt).toISOString(),
      location: `${app.config.baseUrl}${SCIM_PREFIX}/Users/${row.id}`,
    },
  }
}
