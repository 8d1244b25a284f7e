import { describe, expect, it } from 'vitest'
import { ActionFailure } from '#fairway/app/request/action-failure'
import { sendJson } from '#fairway/app/request/send-json'

const answering = (response: Response) => async () => response
const failure = async (promise: Promise<unknown>): Promise<ActionFailure> => {
  const thrown: unknown = await promise.catch((error: unknown) => error)
  if (thrown instanceof ActionFailure) return thrown
  throw new Error('it did not fail with an ActionFailure')
}

const problem = {
  type: 'urn:fairway:error:invalid-input',
  title: 'Some of these values are not valid.',
  status: 400,
  code: 'invalid-input',
  requestId: '0198',
  errors: [{ path: 'title', message: 'Enter a title.' }],
}

describe('sendJson', () => {
  it('returns the JSON of the response', async () => {
    const fetch = answering(Response.json({ result: 1 }))
    expect(await sendJson('/x', { fetch })).toEqual({ result: 1 })
  })

  it('returns undefined for a response without a body', async () => {
    const fetch = answering(new Response(null, { status: 204 }))
    expect(await sendJson('/x', { method: 'DELETE', fetch })).toBeUndefined()
  })

  it('sends the body as JSON and bypasses the cache', async () => {
    let seen: RequestInit | undefined
    const fetch = async (_url: unknown, init?: RequestInit) => {
      seen = init
      return Response.json({})
    }
    await sendJson('/x', { method: 'POST', body: { title: 'a' }, fetch })
    expect(seen).toMatchObject({ method: 'POST', body: '{"title":"a"}', cache: 'no-store' })
    expect(seen?.headers).toMatchObject({ 'content-type': 'application/json' })
  })

  it('throws the server’s problem with its code, request ID and field errors', async () => {
    const fetch = answering(Response.json(problem, { status: 400 }))
    const thrown = await failure(sendJson('/x', { fetch }))
    expect(thrown).toMatchObject({ kind: 'problem', code: 'invalid-input', status: 400, requestId: '0198' })
    expect(thrown.fieldError('title')).toBe('Enter a title.')
    expect(thrown.fieldError('text')).toBeUndefined()
  })

  it('throws a failure with the request ID when the error response is not a problem', async () => {
    const fetch = answering(new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'x-request-id': '0199' } }))
    const thrown = await failure(sendJson('/x', { fetch }))
    expect(thrown).toMatchObject({ kind: 'problem', code: 'unreadable-answer', status: 502, requestId: '0199' })
  })

  it.each([
    ['a refusal with a sentence', () => Response.json(problem, { status: 400 }), false],
    ['a fault of the server', () => Response.json({ ...problem, status: 500 }, { status: 500 }), true],
    ['an answer of something in between', () => new Response('<h1>No</h1>', { status: 403 }), true],
    ['no answer', () => Promise.reject(new TypeError('network')), false],
  ])('reports whether %s is unexpected', async (_name, answer, isUnexpected) => {
    const thrown = await failure(sendJson('/x', { fetch: async () => answer() }))
    expect(thrown.isUnexpected).toBe(isUnexpected)
  })

  it('throws a failure when a successful response is not JSON', async () => {
    const thrown = await failure(sendJson('/x', { fetch: answering(new Response('<p>')) }))
    expect(thrown).toMatchObject({ kind: 'problem', code: 'unreadable-answer' })
  })

  it('throws an offline failure after a network error', async () => {
    const fetch = () => Promise.reject(new TypeError('Failed to fetch'))
    expect(await failure(sendJson('/x', { fetch }))).toMatchObject({ kind: 'offline', code: 'offline', status: 0 })
  })

  it('throws a timed-out failure after the timeout', async () => {
    const fetch = (_url: unknown, init?: RequestInit) =>
      new Promise<Response>((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      })
    expect(await failure(sendJson('/x', { timeoutInMs: 5, fetch }))).toMatchObject({ kind: 'timed-out' })
  })
})
