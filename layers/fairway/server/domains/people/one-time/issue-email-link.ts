import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { newId, randomToken } from '#fairway/server/kernel/crypto/random'
import { EMAIL_LINK_PATH } from '#fairway/shared/paths'
import { type EmailLinkPayload, type EmailLinkPurpose, sealPayload } from './email-link'
import { flowCookie } from './flow-cookie'

const MINUTE_IN_MS = 60_000
/** How long a link works. */
const LIFE_IN_MS: Record<EmailLinkPurpose, number> = {
  'magic-link': 10 * MINUTE_IN_MS,
  verification: 24 * 60 * MINUTE_IN_MS,
  'password-reset': 30 * MINUTE_IN_MS,
}
/** How many links of one kind an address has at once; older ones end. */
const VALID_AT_ONCE = 3

export interface IssuedEmailLink {
  href: string
  /** The cookie of the browser that waits for the link to be opened. */
  setCookie: string
}

/** Makes a link for an address; its secret is in the given address only, the table holds its hash. */
export async function issueEmailLink(
  app: App,
  { purpose, email, payload }: { purpose: EmailLinkPurpose; email: string; payload: EmailLinkPayload },
): Promise<IssuedEmailLink> {
  const id = newId()
  const token = randomToken(32)
  const flow = randomToken(32)
  const now = app.now().getTime()
  const life = LIFE_IN_MS[purpose]
  await app.db.client.batch(
    [
      {
        sql: `insert into email_links (id, purpose, email, token_hash, flow_hash, payload, expires_at, created_at)
          values (?, ?, ?, ?, ?, ?, ?, ?)`,
        args: [id, purpose, email, sha256(token), sha256(flow), sealPayload(app, id, payload), now + life, now],
      },
      {
        sql: `update email_links set expires_at = ? where email = ? and purpose = ? and used_at is null and expires_at > ?
          and id not in (select id from email_links where email = ? and purpose = ? order by created_at desc, id desc limit ?)`,
        args: [now, email, purpose, now, email, purpose, VALID_AT_ONCE],
      },
    ],
    'write',
  )
  const link = new URL(EMAIL_LINK_PATH, app.config.baseUrl)
  link.searchParams.set('token', token)
  return { href: link.href, setCookie: flowCookie(flow, app.config, life / 1000) }
}
