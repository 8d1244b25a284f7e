import { callersOf } from '#fairway/server/domains/actions'
import { listEveryone } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { nearestName } from '#fairway/shared/nearest-name'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import { errorCatalog } from '#fairway/shared/errors'
import { ORG_ROLES } from '#fairway/shared/roles'
import { type Case, type Catalogs, managersOf, nameOf, rowReason, whoIs } from './explain-row'
import type { Reason, Target } from './recording'

/** Explains a refusal: the rule, what decided it, and how it can be changed. Reads rows as the platform, for the developer. */
export async function explainDenial(app: App, catalogs: Catalogs, target: Target, error: AppError): Promise<Reason> {
  const denial = { app, catalogs, target, error }
  const byRow = error.code === 'not-found' || error.code === 'forbidden' ? await rowReason(denial) : undefined
  if (byRow) return byRow
  if (error.code === 'forbidden') return guardReason(denial)
  return REASONS[error.code]?.(denial) ?? general(denial)
}

const REASONS: Readonly<Record<string, (asked: Case) => Reason>> = {
  unauthenticated: ({ target, error }) => ({
    rule: `${nameOf(target)} is not public: it needs a session.`,
    fact:
      error.detail ??
      (target.kind === 'mcp'
        ? 'The host sent no token, or one that has ended or is not ours.'
        : 'The request brought no session cookie and no token that is good.'),
    wayOut:
      target.kind === 'mcp'
        ? 'Connect the host again, with `npx fw connect`; the first 401 of a new host is how it learns where to sign in.'
        : 'Sign in, or become somebody under People. A program sends a personal token. `public: true` opens it to everyone.',
  }),
  'provider-required': ({ target: { session }, error }) => ({
    rule: `The organization ${session?.closedOrg?.name ?? ''} asks for one way to sign in.`,
    fact: error.detail ?? `${whoIs(session)} signed in by ${session?.provider ?? 'another way'}.`,
    wayOut: 'Sign in with that provider, or have an owner or admin take the rule back (Team, Sign-in).',
  }),
  'no-organization': ({ target, error }) => ({
    rule: `${nameOf(target)} needs an organization (\`requireOrganization()\`, or the row it writes).`,
    fact: error.detail ?? `${whoIs(target.session)} works in none at the moment.`,
    wayOut: 'Choose one in the switcher, create one, or accept an invitation.',
  }),
  'invalid-input': ({ target, error }) => ({
    rule: `The input schema of ${nameOf(target)}.`,
    fact:
      (error.errors ?? []).map(({ path, message }) => `${path || 'the input'}: ${message}`).join('; ') || error.message,
    wayOut:
      target.kind === 'action'
        ? `Send what the schema asks for: \`npx fw action ${target.name} --help\` lists it.`
        : 'Send only declared filters and fields, with values that fit them (Collections shows both).',
  }),
  'unknown-action': ({ target, catalogs }) => ({
    rule: 'An action is served under the name of its file below server/actions.',
    fact: `There is no action ${target.name}, or it is declared with \`http: false\`.`,
    wayOut: `The nearest name is ${nearestName(
      target.name,
      catalogs.actions.map(({ name }) => name),
    )}. A new one is a file: server/actions/${target.name}.ts.`,
  }),
  'method-not-allowed': ({ target, error }) => ({
    rule: `${nameOf(target)} accepts ${error.headers.allow ?? 'other methods'}.`,
    fact: 'The request used another method.',
    wayOut: target.kind === 'action' ? 'Use POST; GET is for actions with `readOnly: true`.' : 'Use one of those.',
  }),
  'insufficient-scope': ({ error }) => ({
    rule: error.detail ?? 'The token lacks a scope.',
    fact: 'The person who connected this host did not allow it.',
    wayOut: 'Connect the host again and tick it on the consent page.',
  }),
  'deletion-not-allowed': ({ target }) => ({
    rule: `${nameOf(target)} is declared \`destructive: true\`.`,
    fact: 'The host was connected without the permission to delete.',
    wayOut: 'Connect it again and tick “Delete” on the consent page.',
  }),
  'rate-limited': ({ error }) => ({
    rule: error.detail ?? 'A limit on how often this may be asked for.',
    fact: `It opens again in ${error.headers['retry-after'] ?? 'a few'} seconds.`,
    wayOut: 'Wait. For load runs and tests, FW_RATE_LIMITS=off switches the limits off.',
  }),
  'cross-origin': ({ app }) => ({
    rule: `Unsafe requests come from ${app.config.baseUrl}, or from a program without cookies.`,
    fact: 'Origin or Sec-Fetch-Site named another site, or a cookie came without either of them.',
    wayOut: 'Open the page at FW_BASE_URL. For pages of MCP hosts there is FW_MCP_ALLOWED_ORIGINS.',
  }),
  'fresh-session-required': ({ target }) => ({
    rule: `${nameOf(target)} needs a sign-in of the last 15 minutes.`,
    fact: `${whoIs(target.session)} signed in at ${target.session?.createdAt ?? 'an unknown time'}.`,
    wayOut: 'Sign in again, or confirm the password.',
  }),
}

const general = ({ target, error }: Case): Reason => ({
  rule: `${nameOf(target)}: ${errorCatalog[error.code].title}`,
  fact: error.detail ?? `The code is ${error.code}.`,
  wayOut: 'If your own code throws it, look for this code in the file of the declaration; docs name the others.',
})

async function guardReason(denial: Case): Promise<Reason> {
  const { app, target, error } = denial
  const { session } = target
  const people = await listEveryone(app)
  const managers = session?.orgId ? managersOf(people, session.orgId) : []
  const place = session?.orgName ? `in ${session.orgName}` : 'without an organization'
  return {
    rule: `${nameOf(target)}: ${ruleOf(denial)}`,
    fact: session
      ? `${session.email} works ${place}${session.orgRole ? ` as ${session.orgRole}` : ''}. ${error.detail ?? ''}`.trim()
      : 'Nobody is signed in.',
    wayOut:
      managers.length > 0
        ? `${managers.join(', ')} can change roles under Team; or become one of them under People.`
        : 'Become somebody under People who may, or change the guard of the declaration.',
  }
}

/** Returns the function that made a declaration's guard, and the roles that it names. */
function ruleOf({ app, catalogs, target }: Case): string {
  if (target.kind === 'collection') {
    const declared = catalogs.collections.find(({ name }) => name === target.name)
    return guardRule(declared?.collection.guard)
  }
  const action = catalogs.actions.find(({ name }) => name === target.name)
  if (!action) return 'its own code refuses (`forbidden`).'
  const { roles = [], appRoles = [], permissions = [], text } = callersOf(action.action, app.config)
  return guardRule(
    action.action.guard,
    text ?? [...roles, ...appRoles, ...permissions.map(({ name }) => heldBy(name))].join(', '),
  )
}

const heldBy = (permission: string): string => `holders of ${permission}`

const admittedBy = (guard: Guard | undefined): string =>
  (guard?.permissions?.map(heldBy) ?? guard?.orgRoles ?? guard?.roles ?? []).join(', ')

function guardRule(guard: Guard | undefined, admitted = admittedBy(guard)): string {
  if (!guard) return 'its own code refuses (`forbidden`); it has no guard.'
  return `${guardName(guard)} refuses${admitted ? `; it lets in: ${admitted}` : ''}.`
}

interface Guard {
  name: string
  orgRoles?: readonly string[]
  roles?: readonly string[]
  permissions?: readonly string[]
}

/** Returns a guard as its author wrote it, where that is known. */
function guardName({ name, orgRoles, roles, permissions = [] }: Guard): string {
  const [only, ...others] = [
    ...(orgRoles ? [roleGuard(orgRoles)] : []),
    ...(roles ? ['`requireAny(…)` of an app role'] : []),
    ...permissions.map(each => `\`requirePermission('${each}')\``),
  ]
  if (others.length > 0) return '`requireAll(…)`'
  return only ?? (name && name !== 'guard' ? `\`${name}\`` : 'its guard')
}

const roleGuard = (orgRoles: readonly string[]): string =>
  orgRoles.length === ORG_ROLES.length ? '`requireOrganization()`' : `\`requireOrgRole('${orgRoles.at(-1)}')\``
