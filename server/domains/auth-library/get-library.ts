import type { App } from '#server/foundation/app-context'
import { createPasswordHasher, type PasswordHasher } from '#server/foundation/crypto/password'
import { AppError } from '#server/foundation/http/app-error'
import { checkIssuer } from './discovery'
import type { createLibrary } from './instance'

/** The password hasher of this app; one, because it also limits how many hashes run at once. */
export const getPasswordHasher = (app: App): PasswordHasher => app.once('password-hasher', () => createPasswordHasher())

/** The library of this app, loaded on first use: most requests only look a session up, which is our own code. */
export const getLibrary = (app: App) =>
  app.once('auth-library', async () => {
    const { createLibrary } = await import('./instance')
    return createLibrary(app, getPasswordHasher(app))
  })

type Library = ReturnType<typeof createLibrary>

/**
 * The library with one provider, made on first use. A provider that does not answer troubles nobody but those who want to
 * sign in with it, and is asked again the next time. Throws `unknown-provider` and `unavailable`.
 */
export async function getProviderLibrary(app: App, id: string): Promise<Library> {
  const libraries = app.once('provider-libraries', () => new Map<string, Library>())
  const made = libraries.get(id)
  if (made) return made
  const provider = app.config.signInProviders.find(candidate => candidate.id === id)
  if (!provider) throw new AppError('unknown-provider')
  await checkIssuer(app, provider.issuer)
  const { createLibrary } = await import('./instance')
  const library = createLibrary(app, getPasswordHasher(app), provider)
  libraries.set(id, library)
  return library
}
