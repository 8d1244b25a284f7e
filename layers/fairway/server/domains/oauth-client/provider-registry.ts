import type { App } from '#fairway/server/kernel/app-context'
import type { SignInProvider } from '#fairway/server/kernel/config/sign-in-config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { ConfiguredProvider, ProviderRecord } from './define-provider'
import { type KnownProvider, knownProvider, oauth2 } from './known-providers'

interface Registry {
  declared: readonly ProviderRecord[]
  configured?: ReadonlyMap<string, ConfiguredProvider>
}

const registryOf = (app: App): Registry => app.memo('connection-providers', () => ({ declared: [] }))

/** Registers the application's own providers. Called once at start. Throws when two have the same id. */
export function declareProviders(app: App, declared: readonly ProviderRecord[]): void {
  const registry = registryOf(app)
  registry.declared = declared
  registry.configured = configure(app, declared)
}

/** Returns the providers that this application has a client for, in the order shown for connecting accounts. */
export function connectionProviders(app: App): ReadonlyMap<string, ConfiguredProvider> {
  const registry = registryOf(app)
  registry.configured ??= configure(app, registry.declared)
  return registry.configured
}

/** Returns the provider with this id for connecting accounts; throws `unknown-provider`. */
export function requireConnectionProvider(app: App, id: string): ConfiguredProvider {
  const provider = connectionProviders(app).get(id)
  if (!provider) throw new AppError('unknown-provider')
  return provider
}

/** Returns the provider with this id for signing in, with its client; undefined when it is not configured. */
export function findSignInProvider(app: App, id: string): (ConfiguredProvider & KnownProvider) | undefined {
  const provider = app.config.signInProviders.find(candidate => candidate.id === id)
  return provider && withClient(provider)
}

const withClient = (provider: SignInProvider): ConfiguredProvider & KnownProvider => ({
  ...knownProvider(provider),
  clientId: provider.clientId,
  clientSecret: provider.clientSecret,
})

function configure(app: App, declared: readonly ProviderRecord[]): Map<string, ConfiguredProvider> {
  const { signInProviders, connections } = app.config
  const providers: ConfiguredProvider[] = [
    ...signInProviders.map(withClient),
    ...connections.providers.map(({ clientId, clientSecret, ...input }) => ({
      // A client without a secret is public.
      ...oauth2(clientSecret ? input : { ...input, clientAuthentication: 'none' }),
      clientId,
      clientSecret,
    })),
  ]
  const known = new Map(providers.map(provider => [provider.id, provider]))
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
