// Names who a policy allows, in errors and in sentences.
import { getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { type Part, type PolicyAction, policyOf } from './policy'

type Row = Readonly<Record<string, unknown>>

/** The error for an action that the policy of a table does not allow. It names who may. */
export const forbidden = (to: PolicyAction, parts: readonly Part[], row: Row): AppError =>
  new AppError('forbidden', {
    detail: `Only ${whoMay(parts, row)} can ${to} this.`,
    extra: { allowed: namesOf(parts) },
  })

/** The same for a field. */
export function fieldForbidden(table: SQLiteTable, field: string, row: Row): AppError {
  const parts = policyOf(table)?.fields[field]?.write ?? []
  const detail = `Only ${whoMay(parts, row)} can set ${field}.`
  return new AppError('forbidden', {
    detail,
    errors: [{ path: field, message: detail }],
    extra: { allowed: namesOf(parts) },
  })
}

/** The parts of a rule as named in a response: `admin`, `creator`, `assignee`, `manager`. */
const namesOf = (parts: readonly Part[]): string[] => parts.flatMap(part => nameOf(part))

function nameOf(part: Part): string[] {
  if (part.kind === 'orgRole' || part.kind === 'appRole') return [...part.roles]
  if (part.kind === 'person') return [part.column === 'createdBy' ? 'creator' : part.column]
  if (part.kind === 'all') return [part.parts.flatMap(nameOf).join(' and ')]
  if (part.kind === 'team') return ['team']
  if (part.kind === 'permission') return [part.name]
  if (part.kind === 'via') return namesOf(part.parts).map(name => `${name} of ${getTableName(part.table)}`)
  return [
    part.kind === 'shared' ? part.role : part.kind === 'rowIs' ? Object.keys(part.values).join(' and ') : 'member',
  ]
}

const anyOfThese = new Intl.ListFormat('en', { type: 'disjunction' })
const allOfThese = new Intl.ListFormat('en', { type: 'conjunction' })

/** Names the people who are allowed, for a sentence. */
export const whoMay = (parts: readonly Part[], row: Row): string =>
  parts.length === 0 ? 'nobody' : anyOfThese.format(parts.map(part => inWords(part, row)))

function rolesInWords(part: Extract<Part, { kind: 'orgRole' | 'appRole' | 'permission' }>): string {
  if (part.kind === 'permission') return `people with the permission ${part.name}`
  const { kind, roles } = part
  if (kind === 'appRole') return `people with the role ${anyOfThese.format(roles)}`
  return roles.length === 1 ? 'owners of the organization' : 'owners and admins of the organization'
}

const personInWords = (column: string, row: Row): string =>
  column === 'createdBy' ? `its creator (${String(row.createdByName ?? row.createdBy)})` : `its ${column}`

function inWords(part: Part, row: Row): string {
  switch (part.kind) {
    case 'member':
      return part.everyone ? 'everyone' : 'members of the organization'
    case 'orgRole':
    case 'appRole':
    case 'permission':
      return rolesInWords(part)
    case 'person':
      return personInWords(part.column, row)
    case 'shared':
      return `people it is shared with as ${part.role}`
    case 'team':
      return 'people of its team'
    case 'rowIs':
      return `people while its ${Object.keys(part.values).join(' and ')} allows it`
    case 'via':
      return `the ${anyOfThese.format(namesOf(part.parts))} in ${getTableName(part.table)}`
    case 'all':
      return allOfThese.format(part.parts.map(each => inWords(each, row)))
  }
}
