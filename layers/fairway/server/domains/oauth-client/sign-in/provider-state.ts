import { eq, lt } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { createCodeVerifier, randomHex } from '#fairway/server/kernel/crypto/random'
import { STATE_LIFE_IN_SECONDS } from '#fairway/server/kernel/http/cookie'
import { providerStates } from '../tables'

/** What is remembered of a sign-in while the browser is at the provider. */
export interface ProviderState {
  provider: string
  codeVerifier: string
  nonce: string
  returnPath: string
}

/** Remembers that a browser goes to a provider, for ten minutes; `state` goes along and is kept as a hash only. */
export async function issueState(
  app: App,
  { provider, returnPath }: Pick<ProviderState, 'provider' | 'returnPath'>,
): Promise<ProviderState & { state: string }> {
  const now = app.now().getTime()
  const issued = { provider, returnPath, codeVerifier: createCodeVerifier(), nonce: randomHex(32) }
  const state = randomHex(32)
  const expiresAt = new Date(now + STATE_LIFE_IN_SECONDS * 1000)
  // An ended one is kept a while longer: who comes back too late still keeps the return path.
  const past = new Date(now - STATE_LIFE_IN_SECONDS * 6000)
  await app.db.orm.delete(providerStates).where(lt(providerStates.expiresAt, past))
  await app.db.orm.insert(providerStates).values({ ...issued, stateHash: sha256(state), expiresAt })
  return { ...issued, state }
}

export interface RedeemedState extends ProviderState {
  /** Whether the browser came back too late. */
  isExpired: boolean
}

/** Spends a state: whoever is first gets what was remembered, everybody after that gets undefined. */
export async function redeemState(app: App, state: string): Promise<RedeemedState | undefined> {
  const [row] = await app.db.orm
    .delete(providerStates)
    .where(eq(providerStates.stateHash, sha256(state)))
    .returning()
  return row && { ...row, isExpired: row.expiresAt <= app.now() }
}
