// The keys with which this application authenticates at the OpenID providers of organizations (private_key_jwt, RFC 7523 §2.2).
import type { App } from '#fairway/server/kernel/app-context'
import { deriveEs256Pair } from '#fairway/server/kernel/crypto/es256'

const PURPOSE = 'client-assertion'

/**
 * They follow from the root secrets, so every instance has the same ones and none is stored. The current one comes first; earlier
 * ones stay published while `BETTER_AUTH_SECRET_PREVIOUS` names their secret.
 */
export const assertionKeys = (app: App): { kid: string; publicJwk: JsonWebKey; privateJwk: JsonWebKey }[] =>
  app.memo('client-assertion-keys', () =>
    app.config.keys.all(PURPOSE).map(({ id, secret }) => ({ kid: id, ...deriveEs256Pair(secret) })),
  )

/** The public keys as a JWK set (RFC 7517 §5). */
export const publicClientKeys = (app: App) => ({
  keys: assertionKeys(app).map(({ kid, publicJwk }) => ({ ...publicJwk, kid, alg: 'ES256', use: 'sig' })),
})
