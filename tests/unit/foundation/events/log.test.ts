import { describe, expect, it } from 'vitest'
import { createLog } from '#server/foundation/events/log'

function logged(write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] {
  const lines: string[] = []
  write(
    createLog(
      line => lines.push(line),
      'info',
      () => new Date('2026-01-02T03:04:05Z'),
    ),
  )
  return lines.map(line => JSON.parse(line))
}

describe('log', () => {
  it('writes one JSON object a line, with time, level and message', () => {
    expect(logged(log => log.info('ready', { port: 3000 }))).toEqual([
      { time: '2026-01-02T03:04:05.000Z', level: 'info', message: 'ready', port: 3000 },
    ])
  })

  it('leaves out what is less important than asked for', () => {
    expect(logged(log => log.debug('detail'))).toEqual([])
  })

  it.each([
    'password',
    'newPassword',
    'token',
    'access_token',
    'cookie',
    'Authorization',
    'secret',
    'codeVerifier',
    'apiKey',
  ])('never writes the value of %s, at any depth', name => {
    const [line] = logged(log => log.warn('x', { outer: [{ [name]: 'swordfish', list: ['ok'] }] }))
    expect(JSON.stringify(line)).not.toContain('swordfish')
    expect(JSON.stringify(line)).toContain('ok')
  })

  it('writes errors with their causes, and survives circles', () => {
    const circle: Record<string, unknown> = { name: 'circle' }
    circle.self = circle
    const [line] = logged(log =>
      log.error('failed', { error: new Error('outer', { cause: new Error('inner') }), circle }),
    )
    expect(JSON.stringify(line)).toMatch(/outer.*inner/)
  })
})
