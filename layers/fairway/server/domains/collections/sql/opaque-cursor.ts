import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { sealAlike, unseal, UnsealError } from '#fairway/server/kernel/crypto/seal'
import { jsonOf } from '#fairway/server/kernel/declaration'
import type { ReadArg } from './fragment'
import { refused } from '../query/refused'

const PURPOSE = 'collection-cursor'
const VERSION = 1

/** A place in an order, as a token holds it. */
export interface TokenPlace {
  values: readonly ReadArg[]
  isBackward: boolean
  isInclusive: boolean
}

const payloadSchema = z.tuple([
  z.literal(VERSION),
  z.string(),
  z.boolean(),
  z.boolean(),
  z.array(z.union([z.string(), z.number(), z.null()])),
])

/** A sealed place; `of` names the collection's order and filters, which it is good for. The same place has the same token. */
export function writeToken(app: App, of: string, { values, isBackward, isInclusive }: TokenPlace): string {
  const payload = JSON.stringify([VERSION, sha256(of), isBackward, isInclusive, values])
  return sealAlike(app.config.keys, PURPOSE, payload, PURPOSE)
}

/** The place of a token; throws `invalid-input` for one that is not ours or was made for another order or other filters. */
export function readToken(app: App, of: string, token: string): TokenPlace {
  const payload = payloadSchema.safeParse(jsonOf(opened(app, token)))
  if (!payload.success) throw notOurs()
  const [, hash, isBackward, isInclusive, values] = payload.data
  if (hash !== sha256(of)) throw refused('cursor', 'The cursor belongs to another order or other filters')
  return { values, isBackward, isInclusive }
}

function opened(app: App, token: string): string {
  try {
    return unseal(app.config.keys, PURPOSE, token, PURPOSE)
  } catch (error) {
    if (error instanceof UnsealError) throw notOurs()
    throw error
  }
}

const notOurs = () => refused('cursor', 'The cursor is not one that was given out here')
