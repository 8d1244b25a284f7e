import { z } from 'zod'
import type { App } from '#server/foundation/app-context'
import { constantTimeEqual, hmacBase64, sha256 } from '#server/foundation/crypto/hash'
import { jsonOf } from '#server/foundation/json-of'
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

/** What a token is good for: `of` names the collection's order and filters. */
export function writeToken(app: App, of: string, { values, isBackward, isInclusive }: TokenPlace): string {
  const payload = JSON.stringify([VERSION, sha256(of), isBackward, isInclusive, values])
  const text = Buffer.from(payload).toString('base64url')
  return `${text}.${signature(app.config.keys.current(PURPOSE).secret, text)}`
}

/** The place of a token; throws `invalid-input` for one that is not ours or was made for another order or other filters. */
export function readToken(app: App, of: string, token: string): TokenPlace {
  const [text = '', signed = ''] = token.split('.')
  const isOurs = app.config.keys.all(PURPOSE).some(({ secret }) => constantTimeEqual(signature(secret, text), signed))
  const payload = isOurs ? payloadSchema.safeParse(jsonOf(Buffer.from(text, 'base64url').toString('utf8'))) : undefined
  if (!payload?.success || token.split('.').length !== 2)
    throw refused('cursor', 'The cursor is not one that was given out here')
  const [, hash, isBackward, isInclusive, values] = payload.data
  if (hash !== sha256(of)) throw refused('cursor', 'The cursor belongs to another order or other filters')
  return { values, isBackward, isInclusive }
}

const signature = (secret: string, text: string): string =>
  Buffer.from(hmacBase64(secret, text), 'base64').toString('base64url')
