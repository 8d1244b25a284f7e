import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import type { AppRoleResolution } from './resolve-app-role'

/** What a guard looks at; null means that there is nobody, or no organization. */
export interface ActionGuardContext {
  session: Session | null
  orgId: string | null
}

export type AppRoleGuard = ((context: ActionGuardContext) => Promise<true>) & {
  /** The roles that it lets in, for catalogues. */
  readonly roles: readonly string[]
}

const REASONS: Record<Exclude<AppRoleResolution['status'], 'assigned'>, string> = {
  unassigned: 'You have no role in this application.',
  'not-a-member': 'You are not a member of the organization.',
  'no-identity': 'This runs for nobody.',
  'no-org': 'This runs outside of an organization.',
}

/** True for an explicit assignment to an accepted role; throws `forbidden` with what is missing otherwise. */
export function requireAssigned(resolution: AppRoleResolution, accepted: readonly string[]): true {
  if (resolution.status === 'assigned' && accepted.includes(resolution.role)) return true
  const wanted = accepted.join(' or ')
  const detail =
    resolution.status === 'assigned'
      ? `You are ${resolution.role} here; this needs ${wanted}.`
      : `${REASONS[resolution.status]} This needs ${wanted}; an owner or admin of the organization can assign it.`
  throw new AppError('forbidden', { detail })
}
