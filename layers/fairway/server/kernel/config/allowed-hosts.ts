import { isLoopbackHost } from '#fairway/shared/loopback'
import type { Env } from './env'

/**
 * The host names that requests may be sent to, besides those of this machine; null where every name may. Where somebody is
 * signed in without being asked, or the application is on this machine, a name that was made to point here (DNS rebinding)
 * would make a stranger's page one of ours.
 */
export function allowedHosts(env: Env): ReadonlySet<string> | null {
  const { hostname } = new URL(baseUrlOf(env))
  const isGuarded = env.NODE_ENV === 'development' || env.AUTH_DISABLED === true || isLoopbackHost(hostname)
  return isGuarded ? new Set([hostname, ...(env.FW_ALLOWED_HOSTS ?? [])]) : null
}

/** The public origin without a trailing slash, for example `https://app.example.com`. */
export const baseUrlOf = (env: Env): string => new URL(env.FW_BASE_URL ?? `http://localhost:${env.PORT ?? 3000}`).origin
