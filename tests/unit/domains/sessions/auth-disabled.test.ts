import { testApp, type TestApp } from 'nuxt-fairway/vitest'
import { expect, it } from 'vitest'

const DEV = 'dev@local.test'
const app = await testApp({ env: { AUTH_DISABLED: 'true' } })

async function whoIs(headers: Record<string, string> = {}, { fetch }: ReturnType<TestApp['as']> = app.as(null)) {
  const { session } = await (await fetch('/_fw/session', { headers })).json()
  return session?.email
}

it('is the person of every request, whatever credential it sends', async () => {
  const ada = await app.person({ email: 'ada@example.test' })
  for (const authorization of ['', 'Bearer x', `Bearer fwp_${'a'.repeat(43)}`])
    expect(await whoIs(authorization ? { authorization } : {})).toBe(DEV)
  expect(await whoIs({}, app.as(ada))).toBe(DEV)
  for (const path of ['/_fw/org', '/_fw/actions/list-notes', '/note-list'])
    expect((await app.as(null).fetch(path, { headers: { authorization: 'Bearer x' } })).status).toBe(200)
})

it('stays after a sign-out, and signing in and up are skipped', async () => {
  const { fetch } = app.as(null)
  const left = await fetch('/_fw/session', { method: 'DELETE' })
  expect([left.status, left.headers.getSetCookie().filter(cookie => !/max-age=0/i.test(cookie))]).toEqual([204, []])
  expect(await whoIs()).toBe(DEV)
  for (const [path, json] of [
    ['sign-in/email', {}],
    ['sign-up/email', {}],
    ['update-user', { name: 'Ada' }],
    ['change-password', { currentPassword: 'a', newPassword: 'quiet harbour lantern 42' }],
    ['set-password', { newPassword: 'quiet harbour lantern 42' }],
  ] as const) {
    const answer = await fetch(`/_fw/auth/${path}`, { method: 'POST', json })
    expect([path, answer.status]).toEqual([path, 404])
    expect([path, (await fetch(`/_fw/auth/${path}`)).status]).toEqual([path, 404])
  }
  for (const method of ['GET', 'POST']) {
    const answer = await fetch('/sign-in?return=%2Fnotes', {
      method,
      body: method === 'POST' ? new URLSearchParams() : undefined,
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([method === 'POST' ? 303 : 302, '/notes'])
  }
})

it('is the person of MCP hosts, without and with any token', async () => {
  for (const authorization of [undefined, 'Bearer x']) {
    const answer = await app.as(null).fetch('/mcp', {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', ...(authorization && { authorization }) },
      json: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('list-notes')
  }
})
