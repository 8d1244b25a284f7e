import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { recordSecurityEvent } from '../../kernel/security-events/record-security-event'
import { toConnectionFailure } from './connection-failure'
import type { ConfiguredProvider } from './provider'
import { providerClient } from './provider-client'
import { requireProvider } from './provider-registry'

const LEAD_IN_MS = 5 * 60 * 1000

interface MachineToken {
  token: string
  /** Half of its life, or five minutes before its end, whichever is later. */
  freshUntil: number
}

/** An access token of this application itself (RFC 6749 §4.4, client credentials), kept in memory; callers at once cause one request. Throws `unknown-provider`, `provider-unavailable`. */
export function getMachineToken(app: App, providerId: string): Promise<string> {
  const provider = requireProvider(app, providerId)
  if (provider.grant !== 'client_credentials') throw new AppError('unknown-provider')
  const kept = app.memo('machine-tokens', () => new Map<string, Promise<MachineToken>>())
  return fresh(app, provider, kept)
}

async function fresh(
  app: App,
  provider: ConfiguredProvider,
  kept: Map<string, Promise<MachineToken>>,
): Promise<string> {
  const known = kept.get(provider.id)
  const held = await known?.catch(() => undefined)
  if (held && held.freshUntil > app.now().getTime()) return held.token
  // Somebody else may have asked again while we waited.
  const newer = kept.get(provider.id)
  if (newer && newer !== known) return (await newer).token
  const asked = ask(app, provider)
  kept.set(provider.id, asked)
  asked.catch(() => kept.get(provider.id) === asked && kept.delete(provider.id))
  return (await asked).token
}

async function ask(app: App, provider: ConfiguredProvider): Promise<MachineToken> {
  try {
    const { client, configuration } = await providerClient(app, provider)
    const parameters = provider.scopes.length > 0 ? { scope: provider.scopes.join(' ') } : undefined
    const { access_token: token, expires_in: seconds } = await client.clientCredentialsGrant(configuration, parameters)
    const life = (seconds ?? 0) * 1000
    return { token, freshUntil: app.now().getTime() + Math.max(life / 2, life - LEAD_IN_MS) }
  } catch (error) {
    const failure = toConnectionFailure(error)
    await recordSecurityEvent(app, { kind: 'token-refresh-failed', subject: provider.id, reason: failure.message })
    throw new AppError('provider-unavailable', { cause: failure })
  }
}
