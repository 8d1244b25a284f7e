import { describe, expect, it } from 'vitest'
import { query } from '../../../../support/query'
import { borrowServer } from '../../../../support/server'
import { useServer } from '../../../../support/use-server'
import { createTeamWorld } from '../../../../support/team'

const VALUE = 'sk-live-0123456789abcdef-0123456789'
const OPERATOR = 'operator@example.test'
const METRICS = 'metrics-token-0123456789-0123456789'

const server = useServer({ env: { FW_OPERATORS: OPERATOR, FW_METRICS_TOKEN: METRICS } })
const world = createTeamWorld(server)

const put = (path: string, value: unknown) => ({ path, input: { method: 'PUT', json: { value } } })

describe('vault', () => {
  it('stores, lists, tests, replaces and deletes a credential without returning its value', async () => {
    const { browser } = await world.person()
    const { path, input } = put('/_fw/vault/openai', VALUE)
    expect((await browser.request(path, input)).status).toBe(204)
    expect((await browser.request(path, { ...input, json: { value: `${VALUE}-new1` } })).status).toBe(204)
    const list = await (await browser.get('/_fw/vault')).text()
    expect(JSON.parse(list)).toMatchObject({ credentials: [{ key: 'openai', lastFour: 'new1', state: 'readable' }] })
    expect(await (await browser.post(`${path}/test`, { json: {} })).json()).toEqual({ outcome: 'readable' })
    expect((await browser.request(path, { method: 'DELETE' })).status).toBe(204)
    expect((await browser.request(path, { method: 'DELETE' })).status).toBe(404)
    expect(list + server.log()).not.toContain(VALUE)
  })

  it('requires the owner or admin role for an organization', async () => {
    const { owner, admin, member, outsider, orgId } = await world.team()
    const statuses = []
    for (const person of [owner, admin, member, outsider]) {
      const { path, input } = put('/_fw/org/vault/openai', VALUE)
      statuses.push((await person.browser.request(path, input)).status)
    }
    expect(statuses).toEqual([204, 204, 403, 204])
    expect(await query(server, 'select 1 from vault_credentials where org_id = ?', [orgId])).toHaveLength(1)
  })

  it.each([
    ['a name with a slash', '/_fw/vault/a%2Fb', { value: 'x' }],
    ['an empty value', '/_fw/vault/openai', { value: '' }],
    ['a value that is no text', '/_fw/vault/openai', { value: { secret: VALUE } }],
    ['a value that is too long', '/_fw/vault/openai', { value: VALUE.repeat(300) }],
    ['another member', '/_fw/vault/openai', { value: 'x', orgId: 'other' }],
  ])('returns 400 for %s and repeats nothing of it', async (_what, path, json) => {
    const { browser } = await world.person()
    const answer = await browser.request(path, { method: 'PUT', json })
    const text = await answer.text()
    expect([answer.status, JSON.parse(text).code]).toEqual([400, 'invalid-input'])
    expect(text).not.toContain(VALUE)
  })
})

describe('operator endpoints', () => {
  const paths = ['/_fw/alerts', '/_fw/security-events', '/_fw/security-events/counts', '/_fw/security-events/export']

  it('require a confirmed address from FW_OPERATORS and return 404 to others', async () => {
    const { browser } = await world.person()
    const unconfirmed = await world.person({ email: OPERATOR, verified: false })
    for (const path of paths) {
      expect((await browser.get(path)).status).toBe(404)
      expect((await unconfirmed.browser.get(path)).status).toBe(404)
    }
    await query(server, 'update users set email_verified = 1 where email = ?', [OPERATOR])
    for (const path of paths) expect((await unconfirmed.browser.get(path)).status).toBe(200)
  })

  it('return metrics to clients with the token', async () => {
    const ask = (headers: Record<string, string>) => fetch(`${server.origin}/_fw/metrics`, { headers })
    const closed = await borrowServer()
    expect((await fetch(`${closed.origin}/_fw/metrics`, { headers: { authorization: 'Bearer x' } })).status).toBe(404)
    await closed.stop()
    expect((await ask({})).status).toBe(401)
    expect((await ask({ authorization: 'Bearer wrong' })).status).toBe(401)
    const answer = await ask({ authorization: `Bearer ${METRICS}` })
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await answer.text()).toContain('fairway_security_events_total{kind="callback-failed"}')
  })
})
