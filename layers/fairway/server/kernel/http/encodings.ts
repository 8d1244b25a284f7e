import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/** The content encoding of a page (RFC 9110 §8.4.1). */
export type Encoding = 'br' | 'gzip' | 'identity'

// Each page is compressed once, in a separate thread.
const AS_SMALL_AS_POSSIBLE = {
  [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
}

/**
 * Returns the bytes in each encoding. Only for content that is the same for every visitor: otherwise its length would reveal
 * secrets in it (BREACH).
 */
export const encode = async (identity: Buffer): Promise<Record<Encoding, Buffer>> => ({
  identity,
  br: await brotli(identity, { params: AS_SMALL_AS_POSSIBLE }),
  gzip: await gzipped(identity),
})

/** Returns one strong ETag for each encoding, because their bytes differ (RFC 9110 §8.8.3). */
export const etagsOf = (etag: string): Record<Encoding, string> => ({
  identity: etag,
  br: etag.replace(/"$/, '-br"'),
  gzip: etag.replace(/"$/, '-gz"'),
})

export const forEachEncoding = <T>(make: (encoding: Encoding) => T): Record<Encoding, T> => ({
  identity: make('identity'),
  br: make('br'),
  gzip: make('gzip'),
})

/** The best encoding that the client accepts (RFC 9110 §12.5.3); an explicit `q=0` refuses one. */
export function chooseEncoding({ headers }: Pick<IncomingMessage, 'headers'>): Encoding {
  // Node.js joins repeated headers.
  const header = headers['accept-encoding']?.toString()
  if (!header) return 'identity'
  const accepts = (name: string) => {
    const part = header.split(',').find(item => item.split(';', 1)[0]?.trim().toLowerCase() === name)
    return part !== undefined && !/;\s*q=0(?:\.0+)?\s*$/i.test(part)
  }
  if (accepts('br')) return 'br'
  return accepts('gzip') ? 'gzip' : 'identity'
}
