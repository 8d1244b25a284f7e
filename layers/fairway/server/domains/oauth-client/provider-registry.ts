import type { App } from '#fairway/server/kernel/app-context'
import type { SignInProvider } from '#fairway/server/kernel/config/sign-in-config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { ConfiguredProvider, ProviderRecord } from './provider'
import { github } from './providers/github'
import { google } from './providers/google'
import { oauth2 } from './providers/oauth2'
import { openIdConnect } from './providers/open-id-connect'

interface Registry {
  declared: readonly ProviderRecord[]
  configured?: ReadonlyMap<string, ConfiguredProvider>
}

const registryOf = (app: App): Registry => app.memo('connection-providers', () => ({ declared: [] }))

/** Tells the application's own providers; called once at start. Throws when two have one id. */
export function declareProviders(app: App, declared: readonly ProviderRecord[]): void {
  const registry = registryOf(app)
  registry.declared = declared
  registry.configured = configure(app, declared)
}

/** The providers that this application has a client of, in the order they are offered. */
export function configuredProviders(app: App): ReadonlyMap<string, ConfiguredProvider> {
  const registry = registryOf(app)
  registry.configured ??= configure(app, registry.declared)
  return registry.configured
}

/** The provider of this id; throws `unknown-provider`. */
export function requireProvider(app: App, id: string): ConfiguredProvider {
  const provider = configuredProviders(app).get(id)
  if (!provider) throw new AppError('unknown-provider')
  return provider
}

function configure(app: App, declared: readonly ProviderRecord[]): Map<string, ConfiguredProvider> {
  const { signInProviders, connections } = app.config
  const found: ConfiguredProvider[] = [
    ...signInProviders.map(({ clientId, clientSecret, ...provider }) => ({
      ...recordOf(provider),
      clientId,
      clientSecret,
    })),
    ...connections.providers.map(({ clientId, clientSecret, ...input }) => ({
      ...oauth2(withAuthentication(input, clientSecret)),
      clientId,
      clientSecret,
    })),
  ]
  const known = new Map(found.map(provider => [provider.id, provider]))
  for (const record of declared) {
    if (known.has(record.id)) throw new Error(`server/providers: the id ${record.id} is there twice`)
    const client = connections.clients[record.id]
    if (client) known.set(record.id, { ...record, ...client })
  }
  for (const [id, client] of Object.entries(connections.clients)) {
    const provider = known.get(id)
    if (provider) known.set(id, { ...provider, ...client })
    else app.log.warn('FW_PROVIDER_CLIENTS names a provider that nobody declares', { provider: id })
  }
  return known
}

// Without a secret there is nothing to prove oneself with.
const withAuthentication = <T extends { clientAuthentication?: 'basic' | 'post' | 'none' }>(
  input: T,
  secret?: string,
): T => (secret ? input : { ...input, clientAuthentication: 'none' })

type Described<P = SignInProvider> = P extends unknown ? Omit<P, 'clientId' | 'clientSecret'> : never

function recordOf(provider: Described): ProviderRecord {
  if (provider.kind === 'github') return github(provider.url, provider.apiUrl)
  if (provider.id === google.id) return google
  const { id, name, issuer, clientAuthentication } = provider
  return openIdConnect({ id, name, issuer, clientAuthentication })
}
