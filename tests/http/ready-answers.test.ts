import { describe, expect, it } from 'vitest'
import { createBrowser, plainRequest, signUp, type TestBrowser } from '../support/http'
import { query } from '../support/query'
import { useServer } from '../support/use-server'

const password = 'zebra quilt 7 lantern'
const server = useServer()

async function signedIn(name: string): Promise<{ browser: TestBrowser; email: string; cookie: string }> {
  const browser = createBrowser(server.origin)
  const email = `${name}@example.test`
  await signUp(browser, { email, password, name })
  return { browser, email, cookie: browser.cookieHeader() }
}

const ask = (path: string, headers: Record<string, string> = {}) => plainRequest(server.origin, { path, headers })

/** A response without the parts that are unique to a request. */
async function told(path: string, headers?: Record<string, string>) {
  const answer = await ask(path, headers)
  const own = ['x-request-id', 'date']
  const said = [...answer.headers].filter(([name]) => !own.includes(name)).toSorted()
  return { status: answer.status, said, body: await answer.text() }
}

const who = async ({ cookie }: { cookie: string }): Promise<string | undefined> =>
  (await (await ask('/_fw/session', { cookie })).json()).session?.email

describe('response from memory', () => {
  it.each([
    ['/notes', { 'accept-encoding': 'br' }],
    ['/notes?x=1', { 'accept-encoding': 'gzip' }],
    ['/about', {}],
    ['/no/such/page', { 'accept-encoding': 'br' }],
    ['/sign-in', { 'accept-encoding': 'br' }],
    ['/sign-in?return=%2Fnotes', {}],
  ])('repeats the first response to %s completely and unchanged', async (path, headers) => {
    const first = await told(path, headers)
    for (const _again of [1, 2]) expect(await told(path, headers)).toEqual(first)
    // A response to HEAD never comes from memory.
    const head = await plainRequest(`${server.origin}${path}`, { method: 'HEAD', headers })
    const lengthOf = (answer: { said: [string, string][] }) => new Map(answer.said).get('content-length')
    expect(head.headers.get('etag')).toBe(new Map(first.said).get('etag') ?? null)
    expect(Number(lengthOf(first))).toBeGreaterThan(0)

    const known = { ...headers, 'if-none-match': head.headers.get('etag') ?? '' }
    const same = await told(path, known)
    expect(same).toMatchObject({ status: first.status === 200 ? 304 : 404 })
    expect(await told(path, known)).toEqual(same)
  })

  it('contains the session for its cookie when two people send 200 requests at once', async () => {
    const [ada, ben] = await Promise.all([signedIn('ada'), signedIn('ben')])
    const first = await told('/_fw/session', { cookie: ada.cookie })
    expect(await told('/_fw/session', { cookie: ada.cookie })).toEqual(first)
    const ids = new Set<string | null>()
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const { cookie, email } = index % 2 === 0 ? ada : ben
        const answer = await ask('/_fw/session', { cookie })
        ids.add(answer.headers.get('x-request-id'))
        return [email, (await answer.json()).session?.email]
      }),
    )
    for (const [email, found] of answers) expect(found).toBe(email)
    expect(ids.size).toBe(200)
  })

  it('is not used for a session that another process ended or that signed out', async () => {
    const [ada, ben] = await Promise.all([signedIn('ada2'), signedIn('ben2')])
    for (const _again of [1, 2, 3]) {
      expect(await who(ada)).toBe(ada.email)
      expect(await who(ben)).toBe(ben.email)
    }
    await query(server, 'delete from sessions where user_id = (select id from users where email = ?)', [ada.email])
    expect(await who(ada)).toBeUndefined()
    expect(await who(ben)).toBe(ben.email)
    await ben.browser.request('/_fw/session', { method: 'DELETE' })
    expect(await who(ben)).toBeUndefined()
  })

  it('is separate for each step and language of the sign-in page', async () => {
    for (const _again of [1, 2]) {
      const [plain, german, code, refused] = await Promise.all(
        ['', '?lang=de', '?step=code', '?error=provider-failed'].map(
          async part => (await told(`/sign-in${part}`)).body,
        ),
      )
      expect(plain).toContain('<html lang="en"')
      expect(german).toContain('<html lang="de"')
      expect(new Set([plain, german, code, refused]).size).toBe(4)
    }
  })

  it('is used for equivalent spellings of its path', async () => {
    const { cookie, email } = await signedIn('spelled')
    const first = await told('/notes')
    for (const _again of [1, 2]) {
      for (const path of ['/_fw/%73ession', '/_fw//session/', '/_fw/session?x=1', '/x/../_fw/session'])
        expect([path, await (await ask(path, { cookie })).json()]).toMatchObject([path, { session: { email } }])
      expect(await told('/%6eotes/')).toEqual(first)
    }
  })
})
