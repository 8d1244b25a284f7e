import { brotliCompress, constants, gzip } from 'node:zlib'
import { promisify } from 'node:util'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { pagePolicy, type PagePolicyOptions } from './page-policy'

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

export type Encoding = 'br' | 'gzip' | 'identity'

export interface RenderedPage {
  status: number
  policy: string
  bodies: Record<Encoding, Buffer>
  /** One strong ETag for each encoding: their bytes differ (RFC 9110 §8.8.3). */
  etags: Record<Encoding, string>
}

/** Prepares a rendered page for being served from memory: compressed once, with its ETags and its policy. */
export async function toRenderedPage(html: string, status: number, options: PagePolicyOptions): Promise<RenderedPage> {
  const identity = Buffer.from(html)
  const bodies = {
    identity,
    br: await brotli(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    gzip: await gzipped(identity),
  }
  const tag = sha256(identity).slice(0, 27)
  return {
    status,
    policy: pagePolicy(html, options),
    bodies,
    etags: { identity: `"${tag}"`, br: `"${tag}-br"`, gzip: `"${tag}-gz"` },
  }
}

/** The best encoding that the client accepts (RFC 9110 §12.5.3); an explicit `q=0` refuses one. */
export function chooseEncoding(header: string | undefined): Encoding {
  if (!header) return 'identity'
  const accepts = (name: string) => {
    const part = header.split(',').find(item => item.split(';', 1)[0]?.trim().toLowerCase() === name)
    return part !== undefined && !/;\s*q=0(?:\.0+)?\s*$/i.test(part)
  }
  if (accepts('br')) return 'br'
  return accepts('gzip') ? 'gzip' : 'identity'
}
