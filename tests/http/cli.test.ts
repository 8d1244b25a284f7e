import { spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, signUp } from '../support/http'
import { startServer, type TestServer } from '../support/server'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ env: { NODE_ENV: 'development' } })
})
afterAll(() => server.stop())

function fw(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn('node', ['cli/fw.mjs', ...args], {
    env: { PATH: process.env.PATH ?? '', FW_DATA_DIR: server.dataDir, BETTER_AUTH_SECRET: server.secret, ...env },
  })
  let out = ''
  let err = ''
  child.stdout.on('data', chunk => (out += String(chunk)))
  child.stderr.on('data', chunk => (err += String(chunk)))
  return new Promise(resolve => child.on('exit', code => resolve({ code, out, err })))
}

const local = { AUTH_MODE: 'local' }

describe('fw action', () => {
  it('lists and describes the actions', async () => {
    const listed = await fw(['action', '--list'])
    expect([listed.code, listed.out]).toEqual([0, expect.stringMatching(/create-note +Creates a note/)])
    const described = await fw(['action', 'create-note', '--help'])
    expect(described.out).toMatch(/--title <string> {2}One line/)
    expect((await fw(['action', 'no-such-action'])).code).toBe(2)
  })

  it('acts as nobody unless AUTH_MODE=local, and never in production', async () => {
    const plain = await fw(['action', 'list-notes'])
    expect([plain.code, plain.out, plain.err]).toEqual([1, '', expect.stringMatching(/AUTH_MODE=local/)])
    const production = await fw(['action', 'list-notes'], {
      ...local,
      NODE_ENV: 'production',
      FW_BASE_URL: server.origin,
    })
    expect([production.code, production.err]).toEqual([1, expect.stringMatching(/production/)])
  })

  it('tells how to sign in when nobody is', async () => {
    const { code, err } = await fw(['action', 'list-notes'], local)
    expect([code, err]).toEqual([1, expect.stringMatching(/Nobody is signed in.*unauthenticated/s)])
  })

  it('acts as the one person who is signed in, and the browser sees it', async () => {
    const browser = createBrowser(server.origin)
    await browser.get('/sign-in')
    const created = await fw(['action', 'create-note', '--title', 'From the terminal', '--pinned'], local)
    expect(created.code).toBe(0)
    expect(JSON.parse(created.out).note).toMatchObject({ title: 'From the terminal', pinned: true })
    const listed = await (await browser.get('/_fw/actions/list-notes')).json()
    expect(listed.result.notes).toMatchObject([{ title: 'From the terminal' }])
    const raw = await fw(['action', 'search-notes', '--json', '{"query":"TERMINAL"}', '--raw'], local)
    expect(raw.out.trim().split('\n')).toHaveLength(1)
  })

  it('tells what is wrong with the input and exits with 1', async () => {
    const { code, out, err } = await fw(['action', 'create-note', '--title', ''], local)
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/invalid-input.*title:/s)
    expect((await fw(['action', 'create-note', '--json', '{'], local)).err).toMatch(/malformed-json/)
  })

  it('asks whom to be when several people are signed in, without naming them', async () => {
    for (const name of ['ada', 'bob']) {
      await signUp(createBrowser(server.origin), {
        email: `${name}@example.test`,
        password: 'quiet harbour lantern 42',
        name,
      })
    }
    const several = await fw(['action', 'list-notes'], local)
    expect([several.code, several.err]).toEqual([1, expect.stringMatching(/FW_USER_EMAIL/)])
    expect(several.err).not.toMatch(/ada@|bob@/)
    const named = await fw(['action', 'list-notes'], { ...local, FW_USER_EMAIL: 'Bob@example.test' })
    expect([named.code, JSON.parse(named.out).totalItems]).toEqual([0, 0])
    expect((await fw(['action', 'list-notes'], { ...local, FW_USER_EMAIL: 'nobody@example.test' })).code).toBe(1)
  })
})
