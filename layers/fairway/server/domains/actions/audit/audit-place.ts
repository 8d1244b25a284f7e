import { z } from 'zod'
import { deviceInWords, readDevice } from '#fairway/server/domains/people'
import { findRun } from '#fairway/server/kernel/current-run'
import { jsonOf } from '#fairway/server/kernel/declaration'

/**
 * Where a call came from. It is kept at the beginning of the row's `input`, under a name that no input has, so that the chain
 * covers it and servers of both versions compute the same hash.
 */
const KEPT = /^\{"\$from":(\{[^{}]*\})(,|\}$)/
const placeSchema = z.object({ clientAddress: z.string().nullable(), device: z.string().nullable() })
type Place = z.output<typeof placeSchema>

const NOWHERE: Place = { clientAddress: null, device: null }

/** The kept input of the running call with its network address and device; unchanged for calls without an address. */
export async function withPlace(input: string): Promise<string> {
  const { clientAddress, userAgent } = findRun() ?? {}
  if (!clientAddress) return input
  const name = await readDevice(userAgent ?? null)
  const device = name.browser === null && name.system === null ? null : deviceInWords(name)
  const rest = input.slice(1)
  return `{"$from":${JSON.stringify({ clientAddress, device })}${rest === '}' ? '' : ','}${rest}`
}

/** Takes the place out of the `input` of a row. */
export function splitPlace(input: string | null): Place & { input: string | null } {
  const [whole, place, end] = KEPT.exec(input ?? '') ?? []
  const { data } = placeSchema.safeParse(jsonOf(place ?? ''))
  if (input === null || whole === undefined || !data) return { input, ...NOWHERE }
  return { ...data, input: `{${end === ',' ? '' : '}'}${input.slice(whole.length)}` }
}
