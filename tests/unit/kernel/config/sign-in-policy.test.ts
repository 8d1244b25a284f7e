import { describe, expect, it } from 'vitest'
import { signInPolicy, type SignInPolicyInput, unconfirmedBy } from '#fairway/server/kernel/config/sign-in-config'

const said = { yes: true, no: false, '-': undefined } as const
const environments = { prod: ['production'], dev: ['development', 'test'] } as const

// declared  skip  environment | with a mail server: verification, sign-up, accepts unconfirmed | without: the same
const table = `
  yes  -    prod | required yes no  | required no  no
  yes  -    dev  | required yes no  | required no  no
  yes  yes  prod | required yes no  | required no  no
  yes  yes  dev  | required yes no  | required no  no
  yes  no   prod | required yes no  | required no  no
  yes  no   dev  | required yes no  | required no  no
  no   -    prod | skipped  yes yes | skipped  yes yes
  no   -    dev  | skipped  yes yes | skipped  yes yes
  no   yes  prod | skipped  yes yes | skipped  yes yes
  no   yes  dev  | skipped  yes yes | skipped  yes yes
  no   no   prod | skipped  yes yes | skipped  yes yes
  no   no   dev  | skipped  yes yes | skipped  yes yes
  -    -    prod | required yes no  | skipped  yes no
  -    -    dev  | skipped  yes yes | skipped  yes yes
  -    yes  prod | skipped  yes yes | skipped  yes yes
  -    yes  dev  | skipped  yes yes | skipped  yes yes
  -    no   prod | required yes no  | skipped  yes no
  -    no   dev  | required yes no  | required yes no
`
type Said = keyof typeof said
const rows = table
  .trim()
  .split('\n')
  .map(line => line.split('|').map(part => part.trim().split(/\s+/)))
  .flatMap(([when = [], ...outcomes]) => outcomes.map((outcome, index) => ({ when, sendsMail: index === 0, outcome })))

describe('signInPolicy', () => {
  it.each(rows)(
    'returns $outcome for declared, skip and environment $when with mail server $sendsMail',
    ({ when, sendsMail, outcome }) => {
      const [declared, skip, where] = when as [Said, Said, keyof typeof environments]
      for (const environment of environments[where]) {
        const input = { declared: said[declared], skipVerification: said[skip], environment, sendsMail }
        // A development server's outbox also accepts mails.
        const mailReady = sendsMail || environment !== 'production'
        expect(signInPolicy({ ...input, magicLink: undefined })).toEqual({
          magicLink: mailReady,
          emailVerification: outcome[0],
          passwordSignUp: outcome[1] === 'yes',
          acceptsUnverified: outcome[2] === 'yes',
        })
        // The setting changes only the magic link and does not make mail available.
        for (const magicLink of [true, false]) {
          const policy = signInPolicy({ ...input, magicLink })
          expect(policy).toEqual({
            ...signInPolicy({ ...input, magicLink: undefined }),
            magicLink: mailReady && magicLink,
          })
        }
      }
    },
  )

  it('unconfirmedBy names the setting that opens accounts before their address is confirmed', () => {
    const of = (input: Partial<SignInPolicyInput>, inCode = false) =>
      unconfirmedBy(
        {
          declared: undefined,
          skipVerification: undefined,
          environment: 'production',
          sendsMail: true,
          magicLink: undefined,
          ...input,
        },
        { inCode },
      )
    expect(of({})).toBeNull()
    expect(of({ declared: true, skipVerification: true })).toBeNull()
    expect(of({ declared: false })).toBe('AUTH_REQUIRE_EMAIL_VERIFICATION')
    expect(of({ declared: false, skipVerification: true }, true)).toBe('auth.requireEmailVerification')
    expect(of({ skipVerification: true })).toBe('AUTH_SKIP_EMAIL_VERIFICATION')
    expect(of({ environment: 'development' })).toBe('NODE_ENV')
    expect(of({ environment: 'development', skipVerification: false })).toBeNull()
    expect(of({ sendsMail: false })).toBe('SMTP_URL and EMAIL_FROM')
  })

  it('is tested for every combination', () => {
    expect(new Set(rows.map(({ when, sendsMail }) => `${when.join()}/${sendsMail}`)).size).toBe(3 * 3 * 2 * 2)
  })
})
