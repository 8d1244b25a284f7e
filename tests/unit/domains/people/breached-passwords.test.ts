import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { checkPassword } from '#fairway/server/domains/people'
import { refusalOf } from '../../../support/error-code'
import { createTestApp, type TestApp } from '../../../support/app'
import { serve, serveSilence, type WebServer } from '../../../support/web-server'

const BREACHED = 'zebra quilt 7 lantern'
const FINE = 'copper meadow 19 violin'
const ada = { email: 'ada@example.test', name: 'Ada' }
const open: { stop(): Promise<unknown> }[] = []
const tests: TestApp[] = []

afterEach(async () => {
  await Promise.all(tests.splice(0).map(test => test.close()))
  await Promise.all(open.splice(0).map(server => server.stop()))
})

const hashOf = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase()
const padding = (count: number) =>
  Array.from({ length: count }, (_, index) => `${hashOf(`padding ${index}`).slice(5)}:0`)

/** Starts a service in the range format that knows these passwords and pads its answers. Returns its address and the requests. */
async function startService(known: Record<string, number>) {
  const asked: { path: string; headers: Headers }[] = []
  const server = await serve(async request => {
    const { pathname } = new URL(request.url)
    asked.push({ path: pathname, headers: request.headers })
    const prefix = pathname.slice('/range/'.length)
    const found = Object.entries(known)
      .map(([password, count]) => ({ hash: hashOf(password), count }))
      .filter(({ hash }) => hash.startsWith(prefix))
      .map(({ hash, count }) => `${hash.slice(5)}:${count}`)
    return new Response([...padding(900), ...found].join('\r\n'))
  })
  open.push(server)
  return { address: `${server.origin}/range/`, asked }
}

async function appWith(address?: string): Promise<TestApp> {
  const test = await createTestApp(address === undefined ? {} : { FW_BREACHED_PASSWORDS: address })
  tests.push(test)
  return test
}
const outcome = async (address: string | undefined, password: string) =>
  refusalOf(checkPassword((await appWith(address)).app, password, ada))

describe('the breached password check', () => {
  it('refuses a breached password, and sends the service only five digits of its hash', async () => {
    const { address, asked } = await startService({ [BREACHED]: 3 })
    expect(await outcome(address, BREACHED)).toBe('password-breached')
    expect(await outcome(address, FINE)).toBe('done')
    expect(asked.map(({ path }) => path)).toEqual([BREACHED, FINE].map(text => `/range/${hashOf(text).slice(0, 5)}`))
    for (const { headers } of asked) expect(headers.get('add-padding')).toBe('true')
  })

  it('accepts a breached password without a service, or when its line is padding', async () => {
    expect(await outcome(undefined, BREACHED)).toBe('done')
    const { address } = await startService({ [BREACHED]: 0 })
    expect(await outcome(address, BREACHED)).toBe('done')
  })

  it('refuses a password on the built-in list without a request to the service', async () => {
    const { address, asked } = await startService({})
    expect(await outcome(address, 'password1234')).toBe('password-too-common')
    expect(asked).toEqual([])
  })

  it.each<[what: string, start: () => Promise<WebServer>]>([
    ['fails', () => serve(async () => new Response('', { status: 503 }))],
    ['answers with a page', () => serve(async () => new Response('<html>'))],
    ['leads elsewhere', () => serve(async () => Response.redirect('https://example.com/'))],
    ['says nothing', serveSilence],
  ])(
    'accepts a password within three seconds when the service %s, and logs it without the hash',
    async (_what, start) => {
      const server = await start()
      open.push(server)
      const test = await appWith(`${server.origin}/range/`)
      const begun = performance.now()
      expect(await refusalOf(checkPassword(test.app, BREACHED, ada))).toBe('done')
      expect(performance.now() - begun).toBeLessThan(3000)
      expect(JSON.stringify(test.lines())).toContain('a password could not be compared with known breaches')
      expect(JSON.stringify(test.lines())).not.toContain(hashOf(BREACHED).slice(5))
    },
  )

  it('fails at startup when FW_BREACHED_PASSWORDS is not a URL', async () => {
    await expect(createTestApp({ FW_BREACHED_PASSWORDS: 'pwnedpasswords' })).rejects.toThrow(/FW_BREACHED_PASSWORDS/)
  })
})
