import { beforeAll, describe, expect, it } from 'vitest'
import { sessionOf } from '../../../support/http'
import { borrowServer } from '../../../support/server'
import { useServer } from '../../../support/use-server'
import { PNG } from '../../../support/papers'
import { query } from '../../../support/query'
import { createTeamWorld, type TeamPerson } from '../../../support/team'

const server = useServer({ env: { FW_OPERATORS: 'op@example.test' } })
const world = createTeamWorld(server)
let operator: TeamPerson
let ada: TeamPerson
let ben: TeamPerson
/** Ada and Ben as answers show them to members of their organization. */
let shownAda: Record<string, unknown>
let shownBen: Record<string, unknown>
let orgId: string

beforeAll(async () => {
  operator = await world.person({ email: 'op@example.test', name: 'Olga Operator' })
  ada = await world.person({ email: 'ada@example.test', name: 'Ada Lovelace' })
  ben = await world.join(ada, 'member', await world.person({ email: 'ben@example.test', name: 'Ben Okafor' }))
  const picture = await fetch(`${server.origin}/_fw/account/picture`, {
    method: 'PUT',
    headers: { origin: server.origin, cookie: ada.browser.cookieHeader(), 'content-type': 'image/png' },
    body: new Uint8Array(PNG),
  })
  const { image } = (await picture.json()) as { image: string }
  shownAda = { id: ada.userId, name: 'Ada Lovelace', email: ada.email, image }
  shownBen = { id: ben.userId, name: 'Ben Okafor', email: ben.email, image: null }
  orgId = String((await sessionOf(ada.browser)).orgId)
})

const read = async ({ browser }: TeamPerson, path: string) =>
  (await (await browser.get(path)).json()) as Record<string, Record<string, unknown>[]>

describe('a person in answers', () => {
  it('is the inviter of an invitation, with the picture for members only', async () => {
    const invited = await ada.browser.post('/_fw/org/invitations', { json: { email: 'cy@example.test' } })
    expect((await invited.json()).invited).toMatchObject([{ invitedBy: 'Ada Lovelace', inviter: shownAda }])
    const { invitations } = await read(ada, '/_fw/org/invitations')
    expect(invitations).toMatchObject([{ email: 'cy@example.test', inviter: shownAda }])
    const cy = await world.person({ email: 'cy@example.test' })
    expect((await read(cy, '/_fw/org')).invitations).toMatchObject([{ inviter: { ...shownAda, image: null } }])
    const { id, token } = world.linkFor('cy@example.test')
    const view = async ({ browser }: TeamPerson): Promise<unknown> =>
      (await browser.post(`/_fw/org/invitations/${id}/view`, { json: { token } })).json()
    expect(await view(cy)).toMatchObject({ isForYou: true, inviter: { ...shownAda, image: null } })
    expect(await view(operator)).toMatchObject({ isForYou: false, invitedBy: 'Ada Lovelace', inviter: null })
    await query(server, `update org_invitations set invited_by = 'gone' where id = ?`, [id])
    expect((await read(ada, '/_fw/org/invitations')).invitations).toMatchObject([{ invitedBy: '', inviter: null }])
  })

  it('is the member who takes over rows', async () => {
    const removal = await ada.browser.request(`/_fw/org/members/${ben.email}?dryRun=true`, { method: 'DELETE' })
    expect(await removal.json()).toMatchObject({ receivedBy: shownAda })
    expect(await read(ben, '/_fw/account')).toMatchObject({
      organizations: [{ handOver: { receivedBy: shownAda, members: [shownAda] } }],
    })
  })

  it('is responsible for a webhook, and approved a connected app', async () => {
    await query(
      server,
      `insert into fw_webhooks (id, org_id, url, types, state, secret, created_by, created_at)
        values ('w1', ?, 'https://hooks.example.test/', '["*"]', 'on', 'x', ?, 0), ('w2', ?, 'https://hooks.example.test/', '["*"]', 'on', 'x', null, 1)`,
      [orgId, ada.userId, orgId],
    )
    expect((await read(ada, '/_fw/webhooks')).webhooks).toMatchObject([
      { id: 'w1', responsible: shownAda },
      { id: 'w2', responsible: null },
    ])
    const token = await ben.browser.post('/_fw/tokens', {
      json: { name: 'Laptop', scopes: ['mcp:read'], expiresInDays: 30 },
    })
    expect(token.status).toBe(201)
    expect((await read(ada, '/_fw/org/grants')).grants).toMatchObject([
      { isToken: true, email: ben.email, person: shownBen },
    ])
  })

  it('is in each list of operators, who can load the picture', async () => {
    const people = (await read(operator, '/_fw/operator/people?search=ada@')).people
    expect(people).toMatchObject([shownAda])
    expect((await operator.browser.get(String(shownAda.image))).status).toBe(200)
    const stranger = await world.person()
    expect((await stranger.browser.get(String(shownAda.image))).status).toBe(404)

    const path = `/_fw/operator/organizations/${orgId}`
    expect(await read(operator, path)).toMatchObject({
      organization: { owner: shownAda },
      members: [
        { ...shownAda, role: 'owner' },
        { ...shownBen, role: 'member' },
      ],
    })
    const listed = `/_fw/operator/organizations?search=${orgId}`
    expect((await read(operator, listed)).organizations).toMatchObject([{ owner: shownAda }])

    await query(
      server,
      `insert into security_events (id, at, kind, user_id, reason) values ('e1', 1, 'sign-in', ?, '')`,
      [ada.userId],
    )
    const { events } = await read(operator, `/_fw/security-events?person=${ada.email}`)
    expect(events?.[0]).toMatchObject({ email: ada.email, name: 'Ada Lovelace', person: shownAda })

    await query(
      server,
      `insert into fw_jobs (id, name, input, state, run_at, most_attempts, user_id, created_at)
        values ('j1', 'export-papers', '{}', 'failed', 0, 1, ?, 0), ('j2', 'export-papers', '{}', 'failed', 0, 1, 'gone', 0)`,
      [ben.userId],
    )
    await query(server, `update fw_jobs set finished_at = 1 where id in ('j1', 'j2')`)
    expect((await read(operator, '/_fw/operator/jobs?name=export-papers')).jobs).toMatchObject([
      { id: 'j2', person: null },
      { id: 'j1', person: shownBen },
    ])
  })

  it('is the receiver of a waiting email', async () => {
    const env = { FW_OPERATORS: 'op@example.test', SMTP_URL: 'smtp://127.0.0.1:9', EMAIL_FROM: 'fairway@example.test' }
    const mailing = await borrowServer({ env })
    try {
      const { person } = createTeamWorld(mailing)
      const olga = await person({ email: 'op@example.test', name: 'Olga Operator' })
      await olga.browser.post('/_fw/org/invitations', { json: { email: 'nobody@example.test' } })
      await olga.browser.post('/_fw/auth/sign-in/magic-link', { json: { email: olga.email, callbackURL: '/' } })
      const { mails = [] } = await read(olga, '/_fw/operator/mails')
      const people = mails.map(({ person }) => person)
      expect(people).toContainEqual({ id: olga.userId, name: 'Olga Operator', email: olga.email, image: null })
      const email = 'nobody@example.test'
      expect(people).toContainEqual({ id: null, name: email, email, image: null })
    } finally {
      await mailing.stop()
    }
  })
})
