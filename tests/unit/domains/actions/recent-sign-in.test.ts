import { afterEach, beforeEach, expect, it } from 'vitest'
import { makePersonalToken } from '#fairway/server/domains/oauth-server/personal-tokens'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import { createEdge, type Edge } from '#fairway/testing/edge'
import { createTestApp, type TestApp } from '../../../support/app'
import { aMember, signInAs } from '../../../support/members'
import { query } from '../../../support/query'

let test: TestApp
let app: App
let edge: Edge
let person: Session
let cookie: string

beforeEach(async () => {
  test = await createTestApp({ FW_OPERATORS: 'operator@example.test' })
  app = test.app
  edge = createEdge(app)
  person = await aMember(app, { email: 'operator@example.test' })
  cookie = (await signInAs(app, person)).split(';', 1)[0] ?? ''
})
afterEach(async () => {
  await edge.close()
  await test.close()
})

async function call(method: string, path: string, body?: object, headers: Record<string, string> = { cookie }) {
  const answer = await edge.fetch(path, {
    method,
    headers: { ...headers, origin: app.config.baseUrl, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  return answer.status < 400 ? answer.status : [answer.status, (await answer.json()).code]
}

const outdate = () => query(app, 'update sessions set created_at = created_at - 960000')
const TOO_OLD = [403, 'fresh-session-required']
const JOB = { name: 'none' }

it.each([
  ['PUT', '/_fw/org/vault/openai', { value: 'x'.repeat(20) }],
  ['POST', '/_fw/org/restore', { orgId: 'none' }],
  ['POST', '/_fw/operator/organizations/none/restore', undefined],
  ['POST', '/_fw/operator/jobs', JOB],
  ['DELETE', '/_fw/operator/people/none/suspension', undefined],
])('%s %s returns 403 when the sign-in is older than 15 minutes', async (method, path, body) => {
  expect(await call(method, path, body)).not.toEqual(TOO_OLD)
  await outdate()
  expect(await call(method, path, body)).toEqual(TOO_OLD)
})

it('requires a recent sign-in to open an organization further, but not to rename or limit it', async () => {
  await outdate()
  const update = (body: object) => call('PATCH', '/_fw/org', body)
  expect(await update({ agentsReadOnly: true })).toBe(200)
  expect(await update({ name: 'New name' })).toBe(200)
  expect(await update({ allowedDomain: null })).toBe(200)
  expect(await update({ agentsReadOnly: false })).toEqual(TOO_OLD)
  expect(await update({ allowedDomain: 'example.test' })).toEqual(TOO_OLD)
  expect(await query(app, 'select agents_read_only as limited from organizations')).toEqual([{ limited: 1 }])
  await query(app, 'update sessions set created_at = created_at + 960000')
  expect(await update({ agentsReadOnly: false })).toBe(200)
})

it('accepts an operator’s API token, which was created with a recent sign-in', async () => {
  const given = { name: 'fw', scopes: ['operator' as const], expiresInDays: 7 as const }
  const { token } = await makePersonalToken(app, { ...person, id: null }, given)
  await outdate()
  expect(await call('POST', '/_fw/operator/jobs', JOB)).toEqual(TOO_OLD)
  const withToken = await call('POST', '/_fw/operator/jobs', JOB, { authorization: `Bearer ${token}` })
  expect(withToken).toEqual([400, 'invalid-input'])
})
