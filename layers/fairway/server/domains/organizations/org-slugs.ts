// The addresses of organizations. A slug belongs to one organization, also for 90 days after it was changed.
import type { App } from '#fairway/server/kernel/app-context'
import { randomHex } from '#fairway/server/kernel/crypto/random'
import type { SqlPart } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { requestOrg } from '#fairway/server/kernel/http/request-org'
import { orgPagePath, workingIn } from '#fairway/shared/org-path'
import { toSlug } from '#fairway/shared/org-slug'
import type { Session } from '#fairway/shared/schemas/session'
import { limits } from '../../kernel/limits/limits'
import { rateLimit } from '../../kernel/limits/rate-limit'

const FORMER_FOR_IN_MS = 90 * 24 * 60 * 60 * 1000
const MOST_OF_NAME = 31

/** The ID of the organization with a slug, or with a former one. Its values: the slug, twice. */
export const ORG_OF_SLUG = `coalesce((select id from organizations where slug = ?),
  (select org_id from fw_former_slugs where slug = ?))`

/** The expression for the slug of a new organization: that of its name, or one with a random ending where it is taken. */
export function newSlugSql(name: string): SqlPart {
  const slug = toSlug(name)
  const other = `${(slug ?? 'org').slice(0, MOST_OF_NAME).replace(/-$/, '')}-${randomHex(4)}`
  return {
    sql: `case when ${ORG_OF_SLUG} is null then ? else ? end`,
    args: [slug ?? other, slug ?? other, slug ?? other, other],
  }
}

/** Whether a slug leads to this organization. */
export async function leadsTo(app: App, slug: string, orgId: string | null): Promise<boolean> {
  const find = app.memo('find-org-of-slug', () => app.db.prepareRead<{ id: string }>(`select ${ORG_OF_SLUG} as id`))
  return orgId !== null && (await find([slug, slug]))[0]?.id === orgId
}

/**
 * A credential has one organization, which no request changes. Throws `no-such-organization` when a request names another one,
 * because its caller expects the answer of that one.
 */
export async function checkSlug(app: App, request: Parameters<typeof requestOrg>[0], session: Session): Promise<void> {
  const slug = requestOrg(request)
  if (slug !== undefined && !(await leadsTo(app, slug, workingIn(session)))) throw new AppError('no-such-organization')
}

/**
 * Changes the slug of an organization, if this person is its owner. The one before leads on for 90 days. Throws `slug-taken`,
 * `rate-limited` and `forbidden`.
 */
export async function changeSlug(
  app: App,
  { orgId, userId }: { orgId: string; userId: string },
  slug: string,
): Promise<void> {
  await rateLimit(app, limits.slugChangesPerOrganization, orgId)
  const isOwner = `exists (select 1 from org_members where org_id = ? and user_id = ? and role = 'owner')`
  const isFree = `coalesce(${ORG_OF_SLUG}, ?) = ?`
  const may = { sql: `id = ? and ${isOwner} and ${isFree}`, args: [orgId, orgId, userId, slug, slug, orgId, orgId] }
  const results = await app.db.client.batch(
    [
      {
        sql: `insert into fw_former_slugs (slug, org_id, purge_at) select slug, id, ? from organizations
          where slug <> ? and ${may.sql} on conflict (slug) do update set purge_at = excluded.purge_at`,
        args: [app.now().getTime() + FORMER_FOR_IN_MS, slug, ...may.args],
      },
      { sql: `update organizations set slug = ? where ${may.sql}`, args: [slug, ...may.args] },
      {
        sql: `delete from fw_former_slugs where slug = ?
          and exists (select 1 from organizations o where o.id = fw_former_slugs.org_id and o.slug = fw_former_slugs.slug)`,
        args: [slug],
      },
    ],
    'write',
  )
  if (results[1]?.rowsAffected === 1) return
  const [row] = await app.db.prepareRead<{ isFree: number }>(`select ${isFree} as isFree`)([slug, slug, orgId, orgId])
  throw new AppError(row?.isFree === 0 ? 'slug-taken' : 'forbidden')
}

/** Deletes former slugs that no longer lead anywhere. */
export async function purgeFormerSlugs(app: App): Promise<void> {
  await app.db.client.execute({ sql: 'delete from fw_former_slugs where purge_at <= ?', args: [app.now().getTime()] })
}

/** The address of a page of the application in this organization, for mails and other links from outside. */
export async function orgUrl(app: App, orgId: string, path: string): Promise<string> {
  const find = app.memo('find-slug', () =>
    app.db.prepareRead<{ slug: string | null }>('select slug from organizations where id = ?'),
  )
  const [row] = await find([orgId])
  return app.config.baseUrl + orgPagePath(row?.slug, path)
}
