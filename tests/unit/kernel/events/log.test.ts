import { describe, expect, it } from 'vitest'
import { createLog } from '#fairway/server/kernel/events/log'

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
  it('writes one JSON object per line with time, level and message', () => {
    expect(logged(log => log.info('ready', { port: 3000 }))).toEqual([
      { time: '2026-01-02T03:04:05.000Z', level: 'info', message: 'ready', port: 3000 },
    ])
  })

  it('keeps a text with line breaks on one line', () => {
    const lines: string[] = []
    const forged = 'ready\n{"level":"error","message":"forged"}\r\n\u2028'
    createLog(
      line => lines.push(line),
      'info',
      () => new Date(),
    ).warn(forged, { name: forged, error: new Error(forged) })
    expect(lines).toHaveLength(1)
    expect(lines[0]?.trimEnd()).not.toMatch(/[\r\n]/)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', message: forged, name: forged })
  })

  it('omits messages below the configured level', () => {
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

  it('writes errors with their causes and accepts circular references', () => {
    const circle: Record<string, unknown> = { name: 'circle' }
    circle.self = circle
    const [line] = logged(log =>
      log.error('failed', { error: new Error('outer', { cause: new Error('inner') }), circle }),
    )
    expect(JSON.stringify(line)).toMatch(/outer.*inner/)
  })

  it.each([
    ['550 no such mailbox <ada.lovelace+x@mail.example.co.uk>', 'ada.lovelace'],
    ['path /_fw/org/members/ada%40example.test', 'ada%40'],
    ['connect to smtp://mailer:swordfish@mail.example.test', 'swordfish'],
    ['the cookie was a=1; fw.session_token=swordfish.sig%3D; b=2', 'swordfish'],
    ['the cookie was __Host-fw.session_token=swordfish', 'swordfish'],
    ['open https://app.example.test/invitation?id=1&token=swordfish', 'swordfish'],
    ['libsql://db.example.test?authToken=swordfish', 'swordfish'],
    ['sent Authorization: Bearer swordfish-1234', 'swordfish'],
    ['the answer held eyJhbGciOiJIUzI1NiJ9.swordfish12.swordfish', 'swordfish'],
    ['Failed query: select 1\nparams: swordfish,ada\n    at run (file.ts:1:1)', 'swordfish'],
  ])('removes secrets and addresses from the text %j', (text, secret) => {
    const [line] = logged(log => log.error(text, { error: new Error(text, { cause: text }), list: [text] }))
    expect(JSON.stringify(line)).not.toContain(secret)
  })

  it.each(['/app/node_modules/@libsql/client/lib.js:1:2', 'UNIQUE constraint failed: users.email', 'foo@1.2.3'])(
    'keeps %j unchanged',
    text => {
      expect(logged(log => log.info(text))).toMatchObject([{ message: text }])
    },
  )

  it('is not slowed down by hostile texts', () => {
    const began = performance.now()
    logged(log => log.info('a'.repeat(200_000)))
    logged(log => log.info(`${'a@'.repeat(50_000)}${'\nparams: '.repeat(2000)}`))
    expect(performance.now() - began).toBeLessThan(1500)
  })
})
