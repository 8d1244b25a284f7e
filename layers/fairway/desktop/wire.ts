import { z } from 'zod'
import { DESKTOP_CEREMONIES_PATH, DESKTOP_PREFIX, SESSION_PATH } from '../shared/paths'
import { desktopAvailabilitySchema, desktopCeremonySchema, desktopExchangeSchema } from '../shared/schemas/desktop'
import { ask, askJson, checkStatus, parseAnswer, DesktopError } from './ask'
import type { HubClient } from './eligibility'
import type { DesktopHost } from './host'

const AVAILABILITY_LIMIT_IN_MS = 5000

/** An origin, and the partition in which it is asked. */
export interface Place {
  partition: string
  origin: string
  signal?: AbortSignal
}

type Ceremony = z.infer<typeof desktopCeremonySchema>
export type Exchange = z.infer<typeof desktopExchangeSchema>

/** Of a session only the address is of interest here. */
const sessionSchema = z.object({ session: z.object({ email: z.email() }).nullable() })

/** Whether the hub offers workspace sign-in; false too when that cannot be read. */
export async function isHubAvailable(host: DesktopHost, place: Place): Promise<boolean> {
  try {
    return (await readAvailability(host, place)).available
  } catch {
    return false
  }
}

/** How an application says that it signs people in through a hub; throws `DesktopError`. */
export const readClient = async (host: DesktopHost, place: Place): Promise<HubClient> =>
  (await readAvailability(host, place)).client

async function readAvailability(host: DesktopHost, { partition, origin, signal }: Place) {
  const answer = await ask(host, {
    partition,
    signal,
    method: 'GET',
    url: `${origin}${DESKTOP_PREFIX}/availability`,
    limitInMs: AVAILABILITY_LIMIT_IN_MS,
  })
  // An application without hub and shared secret has no such address.
  return answer.status === 404 ? { available: false, client: null } : parseAnswer(answer, desktopAvailabilitySchema)
}

/** The address of the person who is signed in at a place, or null; throws `DesktopError` when that cannot be read. */
export async function readSession(host: DesktopHost, { partition, origin, signal }: Place): Promise<string | null> {
  const input = { partition, signal, method: 'GET', url: `${origin}${SESSION_PATH}` } as const
  const answer = await askJson(host, input, sessionSchema)
  return answer.session?.email ?? null
}

/** Ends the session at a place; throws `DesktopError`. Also a success where there is no session. */
export async function endSession(host: DesktopHost, { partition, origin }: Place): Promise<void> {
  const answer = await ask(host, { partition, method: 'DELETE', url: `${origin}${SESSION_PATH}`, headers: { origin } })
  if (answer.status !== 401) checkStatus(answer)
}

/** Starts a ceremony at the hub; throws `DesktopError`. */
export const startCeremony = (
  host: DesktopHost,
  { partition, origin, signal }: Place,
  body: { codeChallenge: string; nonce: string },
): Promise<Ceremony> =>
  askJson(
    host,
    {
      partition,
      signal,
      method: 'POST',
      url: `${origin}${DESKTOP_CEREMONIES_PATH}`,
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    },
    desktopCeremonySchema,
  )

/**
 * Ends a confirmed ceremony: who it is, and the applications of the hub. Undefined while it is not confirmed or
 * there is no session at the hub; throws `DesktopError`.
 */
export async function exchangeCeremony(
  host: DesktopHost,
  { partition, origin, signal }: Place,
  { id, verifier }: { id: string; verifier: string },
): Promise<Exchange | undefined> {
  const answer = await ask(host, {
    partition,
    signal,
    method: 'POST',
    url: `${origin}${DESKTOP_CEREMONIES_PATH}/${encodeURIComponent(id)}/exchange`,
    headers: { origin, 'x-fairway-verifier': verifier },
  })
  if (answer.status === 410) throw new DesktopError('timed-out')
  return answer.status === 401 || answer.status === 409 ? undefined : parseAnswer(answer, desktopExchangeSchema)
}

/** The applications of the hub as they are now, for the person who is signed in there; throws `DesktopError`. */
export const readSnapshot = (host: DesktopHost, { partition, origin, signal }: Place): Promise<Exchange> =>
  askJson(host, { partition, signal, method: 'GET', url: `${origin}${DESKTOP_PREFIX}/apps` }, desktopExchangeSchema)
