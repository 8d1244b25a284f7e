import { eq, lt } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { createCodeVerifier, randomHex } from '#fairway/server/kernel/crypto/random'
import { seal, unseal } from '#fairway/server/kernel/crypto/seal'
import { STATE_LIFE_IN_SECONDS, stateCookie } from '#fairway/server/kernel/http/cookie'
import { connectionStates } from './tables'

/** The states of the connections that a browser has under way. */
export const connectionStateCookie = stateCookie('connection_state')

const PURPOSE = 'connection-state'
const secretsSchema = z.object({ codeVerifier: z.string(), nonce: z.string() })

interface Way {
  provider: string
  userId: string
  returnPath: string
}

/** Remembers that somebody goes to a provider, for ten minutes: 32 random bytes as state, kept as a hash; the verifier is sealed. */
export async function issueConnectionState(app: App, way: Way) {
  const secrets = { codeVerifier: createCodeVerifier(), nonce: randomHex(32) }
  const state = randomHex(32)
  const stateHash = sha256(state)
  await app.db.orm.insert(connectionStates).values({
    ...way,
    stateHash,
    secrets: seal(app.config.keys, PURPOSE, JSON.stringify(secrets), stateHash),
    expiresAt: new Date(app.now().getTime() + STATE_LIFE_IN_SECONDS * 1000),
  })
  return { state, ...secrets }
}

/** Spends a state: whoever is first gets what was remembered, everybody after that undefined. */
export async function redeemConnectionState(app: App, state: string) {
  const [row] = await app.db.orm
    .delete(connectionStates)
    .where(eq(connectionStates.stateHash, sha256(state)))
    .returning()
  if (!row) return undefined
  const { stateHash, secrets, provider, userId, returnPath } = row
  const opened = secretsSchema.parse(JSON.parse(unseal(app.config.keys, PURPOSE, secrets, stateHash)))
  return { provider, userId, returnPath, ...opened, isExpired: row.expiresAt <= app.now() }
}

/** Deletes what nobody came back from; ended ones are kept an hour, so that who is late keeps the way back. */
export async function purgeConnectionStates(app: App): Promise<void> {
  const past = new Date(app.now().getTime() - 60 * 60 * 1000)
  await app.db.orm.delete(connectionStates).where(lt(connectionStates.expiresAt, past))
}
