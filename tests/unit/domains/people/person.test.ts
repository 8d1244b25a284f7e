import { describe, expect, it } from 'vitest'
import { mayOpen } from '#fairway/server/domains/people'
import { mayOpenSql } from '#fairway/server/domains/people/person'
import { shareTestApp } from '../../../support/use-app'

const test = shareTestApp()

const each = <T, U>(values: readonly T[], more: (value: T) => U[]): U[] => values.flatMap(more)
const both = [true, false] as const

const identities = each(['ada@example.test', 'dev@local.test', 'local@localhost'], email =>
  each(['person', 'dev'], kind =>
    each(both, emailVerified =>
      ['password', 'auth-disabled', 'a2a'].map(provider => ({ email, kind, emailVerified, provider })),
    ),
  ),
)
const settings = each(['development', 'test', 'production'] as const, environment =>
  each(both, isDisabled =>
    each(both, mustBeConfirmed => both.map(isCustom => ({ environment, isDisabled, mustBeConfirmed, isCustom }))),
  ),
)

describe('mayOpen', () => {
  it('returns the same result in memory and in SQL for every identity and setting', async () => {
    for (const setting of settings) {
      const config = toConfig(setting)
      const values = identities.map(() => '(?, ?, ?, ?)').join(', ')
      const { rows } = await test.app.db.client.execute({
        sql: `with g (email, kind, email_verified, provider) as (values ${values})
          select (${mayOpenSql(config, 'u.provider')}) as opens from g as u`,
        args: identities.flatMap(({ email, kind, emailVerified, provider }) => [
          email,
          kind,
          Number(emailVerified),
          provider,
        ]),
      })
      const inMemory = identities.map(identity => mayOpen(identity, config))
      expect(rows.map(({ opens }) => opens === 1)).toEqual(inMemory)
    }
  })

  const table: [what: string, identity: Partial<Identity>, config: Partial<Setting>, opens: boolean][] = [
    ['a person', {}, { environment: 'production' }, true],
    ['a person whose address is not confirmed', { emailVerified: false }, {}, true],
    ['the same where it must be', { emailVerified: false }, { mustBeConfirmed: true }, false],
    [
      'the same where people sign in elsewhere',
      { emailVerified: false },
      { mustBeConfirmed: true, isCustom: true },
      true,
    ],
    ['the development account in development', { kind: 'dev' }, { environment: 'development' }, true],
    ['the development account in production', { kind: 'dev' }, { environment: 'production' }, false],
    ['its address in production', { email: 'dev@local.test' }, { environment: 'production' }, false],
    [
      'it in production by its session where sign-in is disabled',
      { kind: 'dev', provider: 'dev' },
      { environment: 'production', isDisabled: true },
      false,
    ],
    [
      'it in production as the fixed identity',
      { kind: 'dev', provider: 'auth-disabled' },
      { environment: 'production', isDisabled: true },
      true,
    ],
    [
      'what was the fixed identity once sign-in is on again',
      { kind: 'dev', provider: 'auth-disabled' },
      { environment: 'production' },
      false,
    ],
    ['the identity of older applications', { email: 'local@localhost' }, { environment: 'development' }, false],
  ]
  it.each(table)('%s', (_what, identity, config, opens) => {
    expect(mayOpen({ ...person, ...identity }, toConfig(config))).toBe(opens)
  })
})

interface Identity {
  email: string
  kind: string
  emailVerified: boolean
  provider: string
}

interface Setting {
  environment: 'development' | 'test' | 'production'
  isDisabled: boolean
  mustBeConfirmed: boolean
  isCustom: boolean
}

const person: Identity = { email: 'ada@example.test', kind: 'person', emailVerified: true, provider: 'password' }

const toConfig = ({ environment = 'test', isDisabled, mustBeConfirmed, isCustom }: Partial<Setting>) => ({
  ...test.app.config,
  environment,
  authDisabled: isDisabled ? { email: 'dev@local.test' } : undefined,
  customSignIn: isCustom ? ({} as NonNullable<typeof test.app.config.customSignIn>) : null,
  signIn: {
    ...test.app.config.signIn,
    emailVerification: mustBeConfirmed ? ('required' as const) : ('skipped' as const),
  },
})
