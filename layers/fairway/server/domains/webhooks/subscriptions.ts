import { and, asc, count, eq, gte, isNull, lt, max, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { BROUGHT_IN, findMembership, isInDeleted, requireOrg } from '#fairway/server/domains/organizations'
import { findAccounts, findPerson, isOperator, requireOperator } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { newId, randomBase64 } from '#fairway/server/kernel/crypto/random'
import type { SealedColumn } from '#fairway/server/kernel/crypto/reseal'
import { seal } from '#fairway/server/kernel/crypto/seal'
import { type DependentRows, isExported, isoTime } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { wakeSoon } from '#fairway/server/kernel/jobs'
import { mayInOrg } from '#fairway/shared/roles'
import type { Session } from '#fairway/shared/schemas/session'
import type { Webhook, WebhookScope, WebhookSecret } from '#fairway/shared/schemas/webhook'
import { checkPatterns, knownTypes } from './event-types'
import { checkAddress, SECRET_PURPOSE } from './send-webhook'
import { webhookDeliveries, webhooks } from './tables'
import type { webhookInput } from './webhook-input'

export type WebhookRow = typeof webhooks.$inferSelect

const MOST_WEBHOOKS = 20
const SECRET_BYTES = 32
const HOUR_IN_MS = 60 * 60 * 1000
/** How long deliveries are kept, and how far back events can be replayed. */
export const KEPT_IN_MS = 30 * 24 * HOUR_IN_MS

/**
 * Throws `not-found` for webhooks of the installation unless the person is an operator. For those of an organization, throws
 * the errors of `requireOrg`.
 */
function requireScope(app: App, session: Session, scope: WebhookScope): string | null {
  if (scope === 'organization') return requireOrg(session, 'manage-webhooks').orgId
  requireOperator(app, session)
  return null
}

/** A webhook by its id. */
export async function findWebhook(app: App, id: string): Promise<WebhookRow | undefined> {
  const [row] = await app.db.orm.select().from(webhooks).where(eq(webhooks.id, id))
  return row
}

/**
 * A webhook that this person may manage. Throws `not-found` for one of another organization, and `forbidden` for a lower role.
 */
export async function requireWebhook(app: App, session: Session, id: string): Promise<WebhookRow> {
  const row = await findWebhook(app, id)
  if (row?.orgId === null) requireOperator(app, session)
  else if (requireOrg(session, 'manage-webhooks').orgId !== row?.orgId) throw new AppError('not-found')
  if (!row) throw new AppError('not-found')
  return row
}

/** Whether the person responsible for a webhook (`createdBy`) is currently an operator. */
export async function isKeptByOperator(app: App, { createdBy }: Pick<WebhookRow, 'createdBy'>): Promise<boolean> {
  const person = createdBy === null ? undefined : await findPerson(app, { userId: createdBy })
  return person !== undefined && isOperator(app, person)
}

/** Whether the person responsible for an organization's webhook (`createdBy`) may currently manage its webhooks. */
export async function isKeptByManager(app: App, { orgId, createdBy }: WebhookRow): Promise<boolean> {
  const membership = orgId && createdBy ? await findMembership(app, createdBy, orgId) : null
  return membership !== null && mayInOrg(membership.role, 'manage-webhooks')
}

/** A webhook by its id, without a permission check, for callers with direct database access. Throws `not-found`. */
export async function requireLocalWebhook(app: App, id: string): Promise<WebhookRow> {
  const row = await findWebhook(app, id)
  if (!row)
    throw new AppError('not-found', { detail: 'There is no webhook with this id; `fw webhooks list` names all.' })
  return row
}

const ownedBy = (orgId: string | null): SQL => (orgId === null ? isNull(webhooks.orgId) : eq(webhooks.orgId, orgId))

/** The webhooks of a scope, oldest first. Throws the errors of `requireScope`. */
export async function listWebhooks(app: App, session: Session, scope: WebhookScope): Promise<Webhook[]> {
  return toWebhooks(app, ownedBy(requireScope(app, session, scope)))
}

/** Webhooks for display: without secrets, with the pending deliveries and those that failed within 30 days. */
export async function toWebhooks(app: App, which?: SQL): Promise<Webhook[]> {
  const rows = await app.db.orm.select().from(webhooks).where(which).orderBy(asc(webhooks.createdAt), asc(webhooks.id))
  const since = new Date(app.now().getTime() - KEPT_IN_MS)
  const counts = await app.db.orm
    .select({
      id: webhookDeliveries.webhookId,
      state: webhookDeliveries.state,
      n: count(),
      lastTryAt: max(webhookDeliveries.lastTryAt),
    })
    .from(webhookDeliveries)
    .where(
      and(
        sql`${webhookDeliveries.webhookId} in (select value from json_each(${JSON.stringify(rows.map(({ id }) => id))}))`,
        gte(webhookDeliveries.queuedAt, since),
      ),
    )
    .groupBy(webhookDeliveries.webhookId, webhookDeliveries.state)
  const countOf = (id: string, state: string) => counts.find(each => each.id === id && each.state === state)?.n ?? 0
  const lastTryOf = (id: string) =>
    counts.flatMap(each => (each.id === id && each.lastTryAt) || []).sort((a, b) => +b - +a)[0]
  const people = await findAccounts(
    app,
    'id',
    rows.map(({ createdBy }) => createdBy),
  )
  return rows.map(row => ({
    id: row.id,
    scope: row.orgId === null ? 'installation' : 'organization',
    name: row.name,
    url: row.url,
    types: typesOf(row),
    format: row.format,
    state: row.state,
    failingSince: row.failingSince?.toISOString() ?? null,
    formerUntil: row.formerUntil && row.formerUntil > app.now() ? row.formerUntil.toISOString() : null,
    responsible: people.get(row.createdBy ?? '') ?? null,
    createdAt: row.createdAt.toISOString(),
    pending: countOf(row.id, 'pending'),
    failed: countOf(row.id, 'failed'),
    lastTryAt: lastTryOf(row.id)?.toISOString() ?? null,
  }))
}

/** The patterns of a webhook's event types. */
export const typesOf = ({ types }: Pick<WebhookRow, 'types'>): string[] => z.array(z.string()).parse(JSON.parse(types))

type CreateInput = z.output<typeof webhookInput.create>

/** Creates a webhook and returns its secret, once. Throws `invalid-input`, `webhook-limit` and the errors of the scope. */
export async function createWebhook(
  app: App,
  session: Session,
  input: CreateInput,
  actions: readonly string[],
): Promise<WebhookSecret> {
  const orgId = requireScope(app, session, input.scope)
  const { name = null, url, types, format } = input
  checkAddress(app, url, isOperator(app, session))
  checkPatterns(types, knownTypes(input.scope, actions))
  const id = newId()
  const secret = newSecret()
  const sealed = seal(app.config.keys, SECRET_PURPOSE, secret, id)
  const now = app.now().getTime()
  // The inserting statement checks the limit, so concurrent requests cannot exceed it.
  const { rowsAffected } = await app.db.client.execute({
    sql: `insert into fw_webhooks (id, org_id, name, url, types, format, state, secret, created_by, created_at)
      select ?, ?, ?, ?, ?, ?, 'on', ?, ?, ? where (select count(*) from fw_webhooks where org_id is ?) < ${MOST_WEBHOOKS}`,
    args: [id, orgId, name, url, JSON.stringify(types), format, sealed, session.userId, now, orgId],
  })
  if (rowsAffected === 0) throw new AppError('webhook-limit', { detail: `There can be ${MOST_WEBHOOKS}.` })
  return { id, secret }
}

const newSecret = (): string => `whsec_${randomBase64(SECRET_BYTES)}`

type ChangeInput = z.output<typeof webhookInput.change>

/**
 * Changes the name, address, types or format of a webhook, or switches it on or off. Events that happen while it is off are not
 * queued. Throws `invalid-input`.
 */
export async function changeWebhook(
  app: App,
  session: Session,
  webhook: WebhookRow,
  { name, url, types, format, state }: ChangeInput,
  actions: readonly string[],
): Promise<void> {
  if (url !== undefined) checkAddress(app, url, isOperator(app, session))
  if (types !== undefined) checkPatterns(types, knownTypes(scopeOf(webhook), actions))
  const isSwitchedOn = state === 'on' && webhook.state !== 'on'
  const isTakenOver = url !== undefined || isSwitchedOn
  const changed = app.db.orm
    .update(webhooks)
    .set({
      name,
      url,
      ...(types === undefined ? {} : { types: JSON.stringify(types) }),
      format,
      state,
      ...(isTakenOver ? { createdBy: session.userId } : {}),
      ...(isSwitchedOn ? { failingSince: null } : {}),
    })
    .where(eq(webhooks.id, webhook.id))
  await app.db.orm.batch([changed, app.db.orm.run(sql`${sql.raw(QUEUE_AGAIN)} and webhook_id = ${webhook.id}`)])
  wakeSoon(app)
}

/** Queues jobs for pending attempts without one, for example of a webhook that was off: the trigger runs for each updated row. */
const QUEUE_AGAIN = 'update fw_webhook_deliveries set next_try_at = next_try_at where next_try_at is not null'

const scopeOf = ({ orgId }: WebhookRow): WebhookScope => (orgId === null ? 'installation' : 'organization')

/** Deletes a webhook and its deliveries. */
export async function deleteWebhook(app: App, { id }: WebhookRow): Promise<void> {
  await app.db.client.batch(
    [
      { sql: 'delete from fw_webhook_deliveries where webhook_id = ?', args: [id] },
      { sql: 'delete from fw_webhooks where id = ?', args: [id] },
    ],
    'write',
  )
}

/**
 * Creates a new secret for a webhook. The former one also signs for the given number of hours, so that receivers can switch
 * without failed deliveries.
 */
export async function renewSecret(
  app: App,
  { id }: WebhookRow,
  { overlapInHours }: z.output<typeof webhookInput.renew>,
): Promise<WebhookSecret & { formerUntil: string }> {
  const secret = newSecret()
  const sealed = seal(app.config.keys, SECRET_PURPOSE, secret, id)
  const formerUntil = new Date(app.now().getTime() + overlapInHours * HOUR_IN_MS)
  await app.db.orm
    .update(webhooks)
    .set({ formerSecret: sql`${webhooks.secret}`, formerUntil, secret: sealed })
    .where(eq(webhooks.id, id))
  return { id, secret, formerUntil: formerUntil.toISOString() }
}

const QUEUE_DUE = `${QUEUE_AGAIN} and next_try_at <= ?
  and webhook_id in (select w.id from fw_webhooks w where w.state = 'on' and not ${isInDeleted('w')})`

/**
 * Deletes deliveries after 30 days, and former secrets that no longer sign. Queues due attempts without a job: those of a
 * restored organization, and those whose job failed.
 */
export async function purgeWebhooks(app: App): Promise<void> {
  const before = new Date(app.now().getTime() - KEPT_IN_MS)
  for (;;) {
    const { rowsAffected } = await app.db.client.execute({
      sql: 'delete from fw_webhook_deliveries where id in (select id from fw_webhook_deliveries where queued_at < ? limit 2000)',
      args: [before.getTime()],
    })
    if (rowsAffected < 2000) break
  }
  await app.db.orm
    .update(webhooks)
    .set({ formerSecret: null, formerUntil: null })
    .where(lt(webhooks.formerUntil, app.now()))
  await app.db.client.execute({ sql: QUEUE_DUE, args: [app.now().getTime()] })
}

/** The columns of webhooks that are sealed with the application's secret. */
export const webhookSealedColumns: SealedColumn[] = ['secret', 'former_secret'].map(column => ({
  table: 'fw_webhooks',
  column,
  purpose: SECRET_PURPOSE,
  context: ({ id }) => String(id),
}))

const OF_STRANGER = `(created_by = ? or org_id in (select org_id from (${BROUGHT_IN})))`

/** Webhooks are deleted with their organization, and when the owner of an address removes a stranger's access. */
export const webhookRows: DependentRows = {
  uses: userId => [`select 1 from fw_webhooks w where w.created_by = ${userId}`],
  leftByStranger: (_app, { userId }) => [
    {
      sql: `delete from fw_webhook_deliveries where webhook_id in (select id from fw_webhooks where ${OF_STRANGER})`,
      args: [userId, userId],
    },
    { sql: `delete from fw_webhooks where ${OF_STRANGER}`, args: [userId, userId] },
  ],
  forgetOrganization: ({ sql: condition, args }) => [
    {
      sql: `delete from fw_webhook_deliveries where webhook_id in (select id from fw_webhooks where ${condition})`,
      args,
    },
    { sql: `delete from fw_webhooks where ${condition}`, args },
  ],
  ofPerson(person) {
    const isIn = isExported('org_id', person)
    return {
      webhooks: {
        sql: `select id, org_id as organization, name, types, state, ${isoTime('created_at')} as createdAt
          from fw_webhooks where created_by = ? and ${isIn.sql} order by created_at`,
        args: [person.userId, ...isIn.args],
      },
    }
  },
  forgetPerson: ({ userId }) => [
    { sql: 'update fw_webhooks set created_by = null where created_by = ?', args: [userId] },
  ],
}
