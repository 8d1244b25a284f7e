import { describe, expect, it } from 'vitest'
import { plainRequest } from '../support/http'
import { useServer } from '../support/use-server'

const server = useServer()

const HTML = 'text/html,application/xhtml+xml,*/*;q=0.8'
const typeOf = async (path: string, headers: Record<string, string>, method = 'GET') => {
  const answer = await plainRequest(server.origin, { path, headers, method })
  return [answer.status, answer.headers.get('content-type')]
}

describe('API error response', () => {
  it.each([
    ['/_fw/nothing-here', 404],
    ['/_fw/grants', 401],
    ['/_fw/actions/nothing', 404],
  ])('is a page for a person who opens %s and JSON for programs', async (path, status) => {
    const page = [status, 'text/html; charset=utf-8']
    const problem = [status, 'application/problem+json']
    expect(await typeOf(path, { accept: HTML, 'sec-fetch-mode': 'navigate' })).toEqual(page)
    expect(await typeOf(path, { accept: HTML })).toEqual(page)
    expect(await typeOf(path, { accept: HTML, 'sec-fetch-mode': 'cors' })).toEqual(problem)
    expect(await typeOf(path, { accept: 'application/json' })).toEqual(problem)
    expect(await typeOf(path, { accept: '*/*' })).toEqual(problem)
  })

  it('is JSON for forms and other paths of programs', async () => {
    const headers = { accept: HTML, 'sec-fetch-mode': 'navigate', origin: server.origin }
    expect((await typeOf('/_fw/org', headers, 'POST'))[1]).toBe('application/problem+json')
    expect((await typeOf('/.well-known/nothing', headers))[1]).toContain('json')
  })
})
