import { z } from 'zod'
import { deviceInWords, readDevice } from '#fairway/server/domains/people'
import { findRun } from '#fairway/server/kernel/current-run'
import { putInFront, takeFromFront } from './leading-facts'

const placeSchema = z.object({ clientAddress: z.string().nullable(), device: z.string().nullable() })
type Place = z.output<typeof placeSchema>

const NOWHERE: Place = { clientAddress: null, device: null }

/**
 * Where the running call came from: its network address and device, and the grant of its token (`grant-calls.ts`). Undefined for
 * calls without an address.
 */
export async function findPlace(): Promise<(Place & { grant?: string }) | undefined> {
  const { clientAddress, userAgent, grantId: grant } = findRun() ?? {}
  if (!clientAddress) return undefined
  const name = await readDevice(userAgent ?? null)
  const device = name.browser === null && name.system === null ? null : deviceInWords(name)
  return grant === undefined ? { clientAddress, device } : { clientAddress, device, grant }
}

/** The kept input of a call with its place; unchanged for calls without one. */
export const withPlace = (input: string, place: (Place & { grant?: string }) | undefined): string =>
  place ? putInFront(input, '$from', place) : input

/** Takes the place out of the `input` of a row. */
export function splitPlace(input: string | null): Place & { input: string | null } {
  const parts = input === null ? undefined : takeFromFront(input, '$from')
  const { data } = placeSchema.safeParse(parts?.fact)
  return parts && data ? { ...data, input: parts.input } : { input, ...NOWHERE }
}
