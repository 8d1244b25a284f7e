import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ask, askJson, StaleWork } from '../../src/ask'
import type { DesktopHost, HostAnswer, HostRequest } from '../../src/host'

/** A host with these responses and real timers. It opens no windows and stores nothing. */
const hostThat = (answer: (request: HostRequest) => Promise<HostAnswer>): DesktopHost => ({
  request: (_partition, request) => answer(request),
  openWindow: () => Promise.reject(new Error('no windows here')),
  cookies: () => ({ remove: () => Promise.resolve(), onAdded: () => () => {} }),
  preferences: { get: () => Promise.resolve(undefined), set: () => Promise.resolve() },
  now: () => Date.now(),
  after(milliseconds, work) {
    const timer = setTimeout(work, milliseconds)
    return () => clearTimeout(timer)
  },
})
const answering = (status: number, body = '') => hostThat(() => Promise.resolve({ status, location: null, body }))
const input = { partition: 'p', method: 'GET', url: 'https://hub.example.com/' } as const
const schema = z.strictObject({ yes: z.literal(true) })

describe('ask', () => {
  it('times out when the host never responds and ignores the signal', async () => {
    const host = hostThat(() => new Promise(() => {}))
    await expect(ask(host, { ...input, limitInMs: 20 })).rejects.toMatchObject({ reason: 'timed-out' })
  })

  it('aborts the host request after the time limit', async () => {
    const signals: AbortSignal[] = []
    const host = hostThat(({ signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    })
    await expect(ask(host, { ...input, limitInMs: 20 })).rejects.toThrow('timed-out')
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })

  it('throws StaleWork when the work ends before or during the request', async () => {
    const asked: string[] = []
    const host = hostThat(({ url }) => {
      asked.push(url)
      return new Promise(() => {})
    })
    const controller = new AbortController()
    const running = ask(host, { ...input, signal: controller.signal })
    controller.abort()
    await expect(running).rejects.toBeInstanceOf(StaleWork)
    await expect(ask(host, { ...input, signal: controller.signal })).rejects.toBeInstanceOf(StaleWork)
    expect(asked).toHaveLength(1)
  })

  it('reports a request that the host cannot send as unreachable, without the host’s message', async () => {
    const host = hostThat(() => Promise.reject(new Error('connect to 10.0.0.1 with cookie abc failed')))
    await expect(ask(host, input)).rejects.toMatchObject({ reason: 'unreachable', message: 'unreachable' })
  })
})

describe('askJson', () => {
  it('returns a response that matches the schema', async () => {
    expect(await askJson(answering(200, '{"yes":true}'), input, schema)).toEqual({ yes: true })
    expect(await askJson(answering(201, '{"yes":true}'), input, schema)).toEqual({ yes: true })
  })

  it.each([
    [200, '{"yes":false}', 'refused'],
    [200, '{"yes":true,"cookie":"abc"}', 'refused'],
    [200, '<html>', 'refused'],
    [200, '', 'refused'],
    [302, '{"yes":true}', 'refused'],
    [404, '{"yes":true}', 'refused'],
    [429, '{"yes":true}', 'unreachable'],
    [500, '{"yes":true}', 'unreachable'],
    [503, '', 'unreachable'],
  ])('rejects status %i with %j as %3$s', async (status, body, reason) => {
    await expect(askJson(answering(status, body), input, schema)).rejects.toMatchObject({ reason })
  })
})
