// What the IT contact has prepared and an owner decides.
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { DecidedStep, SetupLink } from '#fairway/shared/schemas/setup-link'

export interface Proposal {
  step: DecidedStep
  version: string
  /** JSON. */
  value: string
  proposedAt: number
  confirmedBy: string | null
  openedAt: number | null
}

/** The proposals of a link, by step. */
export async function proposalsOf(app: App, linkId: string): Promise<Partial<Record<DecidedStep, Proposal>>> {
  const find = app.db.prepareRead<Proposal>(
    `select step, version, value, proposed_at as proposedAt, confirmed_by as confirmedBy, opened_at as openedAt
     from fw_setup_proposals where link_id = ? order by proposed_at`,
  )
  return Object.fromEntries((await find([linkId])).map(row => [row.step, row]))
}

/** The steps of a link that wait for an owner. */
export async function waitingOf(app: App, linkId: string): Promise<SetupLink['waiting']> {
  return Object.values(await proposalsOf(app, linkId))
    .filter(({ confirmedBy }) => confirmedBy === null)
    .map(({ step, proposedAt }) => ({ step, proposedAt: new Date(proposedAt).toISOString() }))
}

/** Proposes a step to the owners, in place of an earlier proposal. */
export async function propose(app: App, linkId: string, step: DecidedStep, value: object = {}): Promise<void> {
  await app.db.client.execute({
    sql: `insert into fw_setup_proposals (link_id, step, version, value, proposed_at)
      select id, ?, ?, ?, ? from fw_setup_links where id = ?
      on conflict (link_id, step) do update set version = excluded.version, value = excluded.value,
        proposed_at = excluded.proposed_at, confirmed_by = null, opened_at = null`,
    args: [step, newId(), JSON.stringify(value), app.now().getTime(), linkId],
  })
}

/** Takes a proposal back, because what it was about has changed. */
export const withdraw = (app: App, linkId: string, step: DecidedStep) =>
  app.db.client.execute({
    sql: 'delete from fw_setup_proposals where link_id = ? and step = ? and confirmed_by is null',
    args: [linkId, step],
  })

/** Marks a proposal as confirmed. Throws `conflict` when it has changed or was confirmed since. */
export async function markConfirmed(app: App, linkId: string, proposal: Proposal, userId: string): Promise<void> {
  const { rowsAffected } = await app.db.client.execute({
    sql: `update fw_setup_proposals set confirmed_by = ?
      where link_id = ? and step = ? and version = ? and confirmed_by is null`,
    args: [userId, linkId, proposal.step, proposal.version],
  })
  if (rowsAffected !== 1) throw new AppError('conflict')
}

/** Opens what was confirmed, once. Returns the owner who confirmed it; throws `link-used` otherwise. */
export async function openConfirmed(app: App, linkId: string, step: DecidedStep): Promise<string> {
  const { rows } = await app.db.client.execute({
    sql: `update fw_setup_proposals set opened_at = ?
      where link_id = ? and step = ? and confirmed_by is not null and opened_at is null returning confirmed_by as owner`,
    args: [app.now().getTime(), linkId, step],
  })
  if (!rows[0]) throw new AppError('link-used')
  return String(rows[0].owner)
}
