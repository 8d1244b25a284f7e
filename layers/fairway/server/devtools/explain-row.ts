// Refusals that depend on the row: by its policy, or by its owner.
import type { CatalogEntry } from '#fairway/server/domains/actions'
import type { CollectionEntry } from '#fairway/server/domains/collections'
import { findShare, listEveryone, type Somebody } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import type { Reason, Target } from './recording'
import { findRow, type FoundRow } from './tables'

export interface Catalogs {
  actions: readonly CatalogEntry[]
  collections: readonly CollectionEntry[]
}

/** A refusal, with the known facts about it. */
export interface Case {
  app: App
  catalogs: Catalogs
  target: Target
  error: AppError
}

/** The name of the requested target, as a developer calls it. */
export const nameOf = ({ kind, name }: Pick<Target, 'kind' | 'name'>): string =>
  kind === 'mcp' ? 'The MCP endpoint' : `The ${kind} ${name}`
/** The address of a person, or `A signed-out visitor`. */
export const whoIs = (session: Session | null): string => session?.email ?? 'A signed-out visitor'

const whereIs = (session: Session | null): string =>
  `${whoIs(session)} works in ${session?.orgName ?? 'no organization'}`

/** Returns up to five addresses of people who can change roles in an organization. */
export const managersOf = (people: readonly Somebody[], orgId: string): string[] =>
  people
    .filter(({ organizations }) => organizations.some(({ id, role }) => id === orgId && role !== 'member'))
    .map(({ email }) => email)
    .slice(0, 5)

/** Explains a refusal by the table's policy, by the requested row or by its absence; undefined where no id was sent. */
export async function rowReason({ app, target, error }: Case): Promise<Reason | undefined> {
  const { ids, session } = target
  // `accessDenied` and `requireCreate` list in the error the people who are allowed.
  if (error.extra?.allowed !== undefined) return policyReason(app, target, error)
  for (const id of ids) {
    const row = await findRow(app, id)
    if (row) return rowOfReason(app, { row, session, error, target })
  }
  if (ids.length === 0 || error.code !== 'not-found') return undefined
  return {
    rule: `${nameOf(target)} found nothing that this person can see.`,
    fact: `No table with ownableColumns() or organizationColumns() has a row with the ID ${ids.join(' or ')}.`,
    wayOut: 'Check the ID, and whether the row was deleted (Tables).',
  }
}

async function policyReason(app: App, target: Target, { detail = '' }: AppError): Promise<Reason> {
  const { session } = target
  const managers = managersOf(await listEveryone(app), session?.orgId ?? '').join(', ') || 'An owner'
  return {
    rule: `${nameOf(target)}: the policy of its table. ${detail}`,
    fact: `${whereIs(session)}${session?.orgRole ? ` as ${session.orgRole}` : ''}.`,
    wayOut: `${managers} can give roles under Team. The rules are in \`definePolicy\` beside the table.`,
  }
}

interface RowCase {
  row: FoundRow
  session: Session | null
  error: AppError
  target: Target
}

const TOLD = 'People who cannot read it get 404.'

async function rowOfReason(app: App, rowCase: RowCase): Promise<Reason | undefined> {
  const { row, session, error } = rowCase
  if (row.ownerEmail === undefined && error.code !== 'not-found') return undefined
  const people = await listEveryone(app)
  const { orgId } = row
  const reason = row.ownerEmail === undefined ? policyOfRow(people, rowCase) : await ownersReason(app, people, rowCase)
  return orgId !== null && orgId !== session?.orgId
    ? { ...reason, wayOut: elsewhere(people, { orgId, session }) }
    : reason
}

const policyOfRow = (people: readonly Somebody[], { row: { table, orgId }, target }: RowCase): Reason => ({
  rule: `${nameOf(target)}: the row in ${table} belongs to its organization, and the policy of the table decides. ${TOLD}`,
  fact: `The row is in ${placeOf(people, orgId)}.`,
  wayOut: 'The rules are in `definePolicy` beside the table. Try other people under People.',
})

async function ownersReason(
  app: App,
  people: readonly Somebody[],
  { row: { table, id, ownerEmail, orgId, visibility }, session, error, target }: RowCase,
): Promise<Reason> {
  const share = session && (await findShare(app, table, id, session))
  const wanted = error.code === 'forbidden' ? (error.detail ?? 'It was not enough.') : TOLD
  return {
    rule: `${nameOf(target)}: visibility and shares of the row in ${table} (\`accessibleTo\`). ${wanted}`,
    fact: `The row belongs to ${ownerEmail}, in ${placeOf(people, orgId)}, visibility ${visibility}, ${share ? `shared with ${whoIs(session)} as ${share}` : 'no share'}.`,
    wayOut: `${ownerEmail} can share it, or set its visibility: \`org\` lets every member read, \`org-edit\` read and change.`,
  }
}

function placeOf(people: readonly Somebody[], orgId: string | null): string {
  if (orgId === null) return 'no organization'
  const organizations = people.flatMap(person => person.organizations)
  return organizations.find(({ id }) => id === orgId)?.name ?? `the organization ${orgId}`
}

/** Returns the advice for a row of an organization that the person does not work in. */
const elsewhere = (
  people: readonly Somebody[],
  { orgId, session }: { orgId: string; session: Session | null },
): string =>
  `${whereIs(session)}, which cannot open rows of other organizations. ${wayInto(people, { orgId, place: placeOf(people, orgId), session })}`

function wayInto(
  people: readonly Somebody[],
  { orgId, place, session }: { orgId: string; place: string; session: Session | null },
): string {
  const caller = people.find(({ userId }) => userId === session?.userId)
  if (caller?.organizations.some(({ id }) => id === orgId)) return `Switch to ${place}.`
  return `${managersOf(people, orgId).join(', ') || 'An owner'} can invite them to ${place} under Team.`
}
