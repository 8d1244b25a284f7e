import type { App } from '#fairway/server/kernel/app-context'
import { createPasswordHasher, type PasswordHasher } from '#fairway/server/kernel/crypto/password'

/** The password hasher of this app; one, because it also limits how many hashes run at once. */
export const getPasswordHasher = (app: App): PasswordHasher =>
  app.memo('password-hasher', () => createPasswordHasher(app.config.password.hashing))

/** The library of this app, loaded on first use: most requests only look a session up, which is our own code. */
export const getLibrary = (app: App) =>
  app.memo('auth-library', async () => {
    const { createLibrary } = await import('./instance')
    return createLibrary(app, getPasswordHasher(app))
  })
