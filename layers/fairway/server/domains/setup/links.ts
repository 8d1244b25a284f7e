// The links by which somebody without an account sets up single sign-on: who may open them, and when they are over.
import {
  BROUGHT_IN,
  checkMayInvite,
  countInvitation,
  findMembership,
  listIdentityConnections,
  mailName,
  type Actor,
} from '#fairway/server/domains/organizations'
import { languageOfPerson, personJoin } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { inBackground } from '#fairway/server/kernel/background'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { newId, randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { DependentRows } from '#fairway/server/kernel/dependent-rows'
import { isoTimeOrNull } from '#fairway/server/kernel/iso-time'
import { mailContent, mailTime } from '#fairway/server/kernel/mail/mail-content'
import { queueMail } from '#fairway/server/kernel/mail/queue-mail'
import { offered } from '#fairway/server/kernel/messages'
import { SETUP_PATH } from '#fairway/shared/paths'
import { mayInOrg } from '#fairway/shared/roles'
import { MOST_SETUP_LINKS, type SetupLink } from '#fairway/shared/schemas/setup-link'
import { waitingOf } from './proposals'

const MINUTE_IN_MS = 60 * 1000
const DAY_IN_MS = 24 * 60 * MINUTE_IN_MS
const TOKEN = /^[\w-]{43}$/

/** An open link, with the organization and the owner or admin who sent it. */
export interface OpenLink {
  id: string
  orgId: string
  orgName: string
  /** The contact's address. */
  email: string
  connectionId: string | null
  makerId: string
  maker: string
  createdAt: number
  expiresAt: number
  lastUsedAt: number | null
}

const COLUMNS = `l.id, l.org_id as orgId, l.email, l.connection_id as connectionId, l.created_by as makerId, u.email as maker,
  l.created_at as createdAt, l.expires_at as expiresAt, l.last_used_at as lastUsedAt`

/** The links that match a condition and are not over: in time, and of a person who may still prepare single sign-on. */
async function findOpen(app: App, condition: string, args: string[]): Promise<OpenLink[]> {
  const find = app.db.prepareRead<Omit<OpenLink, 'orgName'>>(
    `select ${COLUMNS} from fw_setup_links l ${personJoin('l.created_by')}
     where ${condition} and l.expires_at > ? order by l.created_at, l.id`,
  )
  const rows = await find([...args, app.now().getTime()])
  const links = await Promise.all(
    rows.map(async row => {
      const membership = await findMembership(app, row.makerId, row.orgId)
      return mayInOrg(membership?.role, 'set-auth-provider') ? { ...row, orgName: membership?.orgName ?? '' } : []
    }),
  )
  return links.flat()
}

/** The open link of a secret; undefined for any other text. */
export async function findByToken(app: App, token: string): Promise<OpenLink | undefined> {
  return TOKEN.test(token) ? (await findOpen(app, 'l.token_hash = ?', [sha256(token)]))[0] : undefined
}

/** An open link by its ID. */
export const findById = async (app: App, id: string): Promise<OpenLink | undefined> =>
  (await findOpen(app, 'l.id = ?', [id]))[0]

/** An open link of this organization; throws `not-found`. */
export async function requireLink(app: App, orgId: string, id: string): Promise<OpenLink> {
  const link = await findById(app, id)
  if (link?.orgId !== orgId) throw new AppError('not-found')
  return link
}

/** The open links of an organization, oldest first. */
export async function listLinks(app: App, orgId: string): Promise<SetupLink[]> {
  const links = await findOpen(app, 'l.org_id = ?', [orgId])
  return Promise.all(links.map(link => toEntry(app, link)))
}

const toEntry = async (app: App, link: OpenLink): Promise<SetupLink> => ({
  id: link.id,
  email: link.email,
  createdBy: link.maker,
  createdAt: new Date(link.createdAt).toISOString(),
  expiresAt: new Date(link.expiresAt).toISOString(),
  lastUsedAt: isoTimeOrNull(link.lastUsedAt),
  waiting: await waitingOf(app, link.id),
})

/**
 * Makes a link and mails it. It goes on with a connection that is not active yet, if there is one. Throws `email-not-verified`,
 * `mail-unavailable`, `rate-limited`, and `setup-link-limit` beyond five open links.
 */
export async function addLink(
  app: App,
  actor: Actor,
  { email, days }: { email: string; days: number },
  clientAddress: string,
): Promise<SetupLink> {
  checkMayInvite(app, actor)
  if (!app.mailer.isReady) throw new AppError('mail-unavailable')
  await countInvitation(app, actor, clientAddress)
  const open = (await findOpen(app, 'l.org_id = ?', [actor.orgId])).map(({ id }) => id)
  const prepared = (await listIdentityConnections(app, actor.orgId)).findLast(
    ({ state }) => state === 'draft' || state === 'tested',
  )
  const [id, token, now] = [newId(), randomToken(32), app.now().getTime()]
  const expiresAt = now + days * DAY_IN_MS
  // Links that are over leave room for others.
  const ended = endStatements(`l.org_id = ? and l.id not in (select value from json_each(?))`, [
    actor.orgId,
    JSON.stringify(open),
  ])
  const results = await app.db.client.batch(
    [
      ...ended,
      {
        sql: `insert into fw_setup_links (id, org_id, email, token_hash, connection_id, created_by, created_at, expires_at)
          select ?, ?, ?, ?, ?, ?, ?, ? where (select count(*) from fw_setup_links where org_id = ?) < ?`,
        args: [
          id,
          actor.orgId,
          email,
          sha256(token),
          prepared?.id ?? null,
          actor.userId,
          now,
          expiresAt,
          actor.orgId,
          MOST_SETUP_LINKS,
        ],
      },
    ],
    'write',
  )
  if (results.at(-1)?.rowsAffected !== 1) throw new AppError('setup-link-limit')
  const link = await requireLink(app, actor.orgId, id)
  await mailLink(app, link, token, actor.session.name)
  app.log.info('a setup link was made', { orgId: actor.orgId, by: actor.userId, linkId: id })
  return toEntry(app, link)
}

async function mailLink(app: App, link: OpenLink, token: string, makerName: string): Promise<void> {
  const { email, maker, makerId, orgName, expiresAt } = link
  const known = (await languageOfPerson(app, { email })) ?? (await languageOfPerson(app, { userId: makerId }))
  const language = known ?? offered.defaultLanguage
  const values = {
    invitedBy: mailName(makerName, maker),
    organization: mailName(orgName, app.config.name),
    expires: mailTime(expiresAt, language),
  }
  const href = `${app.config.baseUrl}${SETUP_PATH}?${new URLSearchParams({ token })}`
  await queueMail(app, email, mailContent(app, 'setup-link', { values, href, language }))
}

/** Ends a link at once, with what waits for an owner. Throws `not-found`. */
export async function endLink(app: App, orgId: string, id: string): Promise<void> {
  const results = await app.db.client.batch(endStatements('l.id = ? and l.org_id = ?', [id, orgId]), 'write')
  if (results.at(-1)?.rowsAffected !== 1) throw new AppError('not-found')
}

const endStatements = (condition: string, args: (string | number)[]) => {
  const links = `select l.id from fw_setup_links l where ${condition}`
  return [
    { sql: `delete from fw_setup_proposals where link_id in (${links})`, args },
    { sql: `delete from fw_setup_links where id in (${links})`, args },
  ]
}

/** Notes the latest visit, exact to a minute. */
export function noteVisit(app: App, { id, lastUsedAt }: OpenLink): void {
  const now = app.now().getTime()
  if (now - (lastUsedAt ?? 0) <= MINUTE_IN_MS) return
  inBackground(app, 'note-setup-visit', async () => {
    await app.db.client.execute({ sql: 'update fw_setup_links set last_used_at = ? where id = ?', args: [now, id] })
  })
}

/** Sets the connection that the contact sets up. */
export const setConnection = (app: App, { id }: OpenLink, connectionId: string) =>
  app.db.client.execute({ sql: 'update fw_setup_links set connection_id = ? where id = ?', args: [connectionId, id] })

/** Deletes links whose time is over. For the hourly job. */
export async function purgeSetupLinks(app: App): Promise<void> {
  await app.db.client.batch(endStatements('l.expires_at <= ?', [app.now().getTime()]), 'write')
}

/** What happens to setup links with their organization and their makers. */
export const setupRows: DependentRows = {
  uses: userId => [`select 1 from fw_setup_links l where l.created_by = ${userId}`],
  leftByStranger: (_app, { userId }) =>
    endStatements(`(l.created_by = ? or l.org_id in (select org_id from (${BROUGHT_IN})))`, [userId, userId]),
  forgetOrganization: ({ sql, args }) => [
    { sql: `delete from fw_setup_proposals where link_id in (select id from fw_setup_links where ${sql})`, args },
    { sql: `delete from fw_setup_links where ${sql}`, args },
  ],
  forgetPerson: ({ userId }) => [
    ...endStatements('l.created_by = ?', [userId]),
    { sql: 'update fw_setup_proposals set confirmed_by = null where confirmed_by = ?', args: [userId] },
  ],
}
