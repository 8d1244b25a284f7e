import { describe, expect, it } from 'vitest'
import { checkPassword } from '#fairway/server/domains/people'
import { loadConfig } from '#fairway/server/kernel/config/config'
import { readEnv } from '#fairway/server/kernel/config/env'
import { defineFwConfig } from '#fairway/server/kernel/config/fw-config'
import { createLog } from '#fairway/server/kernel/events/log'
import { refusalOf } from '../../../support/error-code'
import { SECRET } from '../../../support/secrets'

const config = loadConfig(readEnv({ NODE_ENV: 'test' }), defineFwConfig({ name: 'Harbour' }), SECRET)
const log = createLog(
  () => {},
  'info',
  () => new Date(),
)
const ada = { email: 'ada.lovelace@example.test', name: 'Ada Lovelace' }
const outcomeOf = (password: string) => refusalOf(checkPassword({ config, fetch, log }, password, ada))

describe('checkPassword', () => {
  it('counts code points: 11 are too few, 12 and 128 are accepted, 129 are too many', async () => {
    const text = 'zebra quilt 7 lantern '.repeat(10)
    expect(await outcomeOf(text.slice(0, 11))).toBe('password-too-short')
    expect(await outcomeOf(text.slice(0, 12))).toBe('done')
    const long = Array.from({ length: 128 }, (_, index) => String.fromCodePoint(0x1f600 + ((index * 37) % 80))).join('')
    expect(await outcomeOf(long)).toBe('done')
    expect(await outcomeOf(`${long}x`)).toBe('password-too-long')
  })

  it('counts after Unicode normalisation', async () => {
    expect(await outcomeOf('ﬃ'.repeat(4))).not.toBe('password-too-short')
    expect(await outcomeOf('e\u0301'.repeat(11))).toBe('password-too-short')
  })

  it.each(['aaaaaaaaaaaa', 'abcabcabcabc', 'abcdefghijklmnop', '123456789012', 'qwertyuiopasdf', 'zyxwvutsrqponm'])(
    'refuses the pattern %j',
    async password => {
      expect(await outcomeOf(password)).toBe('password-too-common')
    },
  )

  it.each(['ada.lovelace@example.test', 'adalovelace1', 'Ada Lovelace!', 'harbour-harbour', 'Fairway12345'])(
    'refuses %j, which is based on the person or the product',
    async password => {
      expect(await outcomeOf(password)).toBe('password-too-common')
    },
  )

  it.each(['passwordpassword', 'PasswordPassword', 'password12345', 'q1w2e3r4t5y6'])(
    'refuses the common password %j',
    async password => {
      expect(await outcomeOf(password)).toBe('password-too-common')
    },
  )

  it('requires no digits, capitals or symbols', async () => {
    expect(await outcomeOf('correct horse battery staple')).toBe('done')
  })
})
