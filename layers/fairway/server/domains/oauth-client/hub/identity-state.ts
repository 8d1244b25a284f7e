import { eq, lt } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import type { HubClientConfig } from '#fairway/server/kernel/config/identity-config'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { createCodeVerifier, toCodeChallenge, randomHex } from '#fairway/server/kernel/crypto/random'
import { STATE_LIFE_IN_SECONDS } from '#fairway/server/kernel/http/cookie'
import { identityStates } from '../tables'

export type IdentityState = typeof identityStates.$inferSelect

interface IssuedState {
  state: string
  verifier: string
  codeChallenge: string
}

/** Remembers that a browser goes to the hub, for ten minutes; the state and the verifier are kept as hashes only. */
export async function issueIdentityState(
  app: App,
  { url, appId, clientId, callbackUrl }: HubClientConfig,
  returnPath: string,
): Promise<IssuedState> {
  const state = randomHex(32)
  const verifier = createCodeVerifier()
  const codeChallenge = toCodeChallenge(verifier)
  await app.db.orm.insert(identityStates).values({
    stateHash: sha256(state),
    codeChallenge,
    hubUrl: url,
    appId,
    clientId,
    redirectUri: callbackUrl,
    returnPath,
    expiresAt: new Date(app.now().getTime() + STATE_LIFE_IN_SECONDS * 1000),
  })
  return { state, verifier, codeChallenge }
}

/** Spends a state: whoever is first gets what was remembered, everybody after that gets undefined. */
export async function spendIdentityState(app: App, state: string): Promise<IdentityState | undefined> {
  const [row] = await app.db.orm
    .delete(identityStates)
    .where(eq(identityStates.stateHash, sha256(state)))
    .returning()
  return row
}

/** Deletes sign-ins that ended an hour ago: who comes back a little late still keeps the return path. */
export async function purgeIdentityStates(app: App): Promise<void> {
  const past = new Date(app.now().getTime() - STATE_LIFE_IN_SECONDS * 6000)
  await app.db.orm.delete(identityStates).where(lt(identityStates.expiresAt, past))
}
