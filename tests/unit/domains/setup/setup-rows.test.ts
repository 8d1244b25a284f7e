import { describe, expect, it } from 'vitest'
import { purgeSetupLinks } from '#fairway/server/domains/setup'
import { decideClaim } from '#fairway/server/domains/sign-in'
import { query } from '../../../support/query'
import { ownerArrives, squattedAccount } from '../../../support/squatted-account'
import { useTestApp } from '../../../support/use-app'

const test = useTestApp()

const addLink = (id: string, orgId: string, userId: string, expiresAt = 9_000_000_000_000) =>
  query(
    test.app,
    `insert into fw_setup_links (id, org_id, email, token_hash, created_by, created_at, expires_at)
      values (?, ?, 'it@example.org', ?, ?, 0, ?)`,
    [id, orgId, id, userId, expiresAt],
  )
const addProposal = (linkId: string) =>
  query(
    test.app,
    `insert into fw_setup_proposals (link_id, step, version, value, proposed_at) values (?, 'directory', 'v', '{}', 0)`,
    [linkId],
  )
const idsIn = async (table: string, column: string) =>
  (await query(test.app, `select ${column} as id from ${table} order by 1`)).map(({ id }) => id)

describe('setup links', () => {
  it('of a stranger and their accomplices end when the owner of the address removes their access', async () => {
    const account = await squattedAccount(test.app)
    const owner = await ownerArrives(test.app, account)
    await addLink('of-stranger', account.orgId, account.stranger.userId)
    await addLink('of-accomplice', account.orgId, account.accomplice.userId)
    await addLink('elsewhere', 'another-organization', 'somebody')
    await addProposal('of-stranger')
    const form = { decision: 'only-me' }
    await decideClaim(test.app, { ...owner, returnPath: '/', language: 'en', form, requestId: 'test' })
    expect(await idsIn('fw_setup_links', 'id')).toEqual(['elsewhere'])
    expect(await idsIn('fw_setup_proposals', 'link_id')).toEqual([])
  })

  it('are purged with their proposals once they have expired', async () => {
    await addLink('open', 'another-organization', 'somebody')
    await addLink('expired', 'another-organization', 'somebody', 1)
    await addProposal('expired')
    await purgeSetupLinks(test.app)
    expect(await idsIn('fw_setup_links', 'id')).toEqual(['open'])
    expect(await idsIn('fw_setup_proposals', 'link_id')).toEqual([])
  })
})
