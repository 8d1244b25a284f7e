import { sha256Base64 } from '#fairway/server/kernel/crypto/hash'

const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)([^>]*)>([\s\S]*?)<\/script>/gi
const DATA_TYPE = /\stype="?application\/(?:ld\+)?json/i

export interface PagePolicyOptions {
  isDev: boolean
  /** Who may show the page in a frame, as the policy has it. */
  frameAncestors: string
}

/** The Content-Security-Policy of one rendered page: its own scripts by hash, nothing else inline that could run. */
export function pagePolicy(html: string, options: PagePolicyOptions): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)]
    .filter(([, attributes = '']) => !DATA_TYPE.test(attributes))
    .map(([, , body = '']) => `'sha256-${sha256Base64(body)}'`)
  return [
    `default-src 'self'`,
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`.trim(),
    // Component libraries place floating elements by style attributes and add style elements at run time.
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self'${options.isDev ? ' ws: wss:' : ''}`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors ${options.frameAncestors}`,
  ].join('; ')
}
