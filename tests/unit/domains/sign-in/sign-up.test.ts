import { requireOrg } from '#fairway/server/domains/organizations'
import { describe, expect, it } from 'vitest'
import { invite } from '#fairway/server/domains/organizations/invite'
import { signIn, signUp, signInSchema, signUpSchema } from '#fairway/server/domains/sign-in/password-sign-in'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import { useTestApp } from '../../../support/use-app'
import { refusalOf } from '../../../support/error-code'
import { aMember } from '../../../support/members'
import { query } from '../../../support/query'

const password = 'zebra quilt 7 lantern'
const request = { clientAddress: '192.0.2.1', userAgent: 'test' }
const test = useTestApp({ FW_RATE_LIMITS: 'off' })

const sign = (email: string, name = 'Ada') =>
  signUp(test.app, parseInput(signUpSchema, { email, name, password }), request)
const people = () => query(test.app, 'select email, name, email_verified from users order by id')

describe('sign-up by password', () => {
  it.each(['r&d@firm.example', 'ada@example.a', "o'brien..x@example.test"])(
    'creates an account for %s, which can then sign in',
    async email => {
      const { body, setCookies } = await sign(email)
      expect(body).toEqual({
        user: {
          id: expect.any(String),
          email,
          name: 'Ada',
          emailVerified: false,
          image: null,
          createdAt: expect.any(Date),
          updatedAt: expect.any(Date),
        },
      })
      expect(setCookies).toHaveLength(1)
      const again = await signIn(test.app, parseInput(signInSchema, { email: ` ${email}\u200b`, password }), request)
      expect(again.body).toMatchObject({ user: { email } })
    },
  )

  it('stores a name without characters that reorder text, and refuses one that shows nothing', async () => {
    await sign('ada@example.test', 'Ada\u202e (Admin)\u202c')
    expect(await people()).toEqual([{ email: 'ada@example.test', name: 'Ada (Admin)', email_verified: 0 }])
    const nothing = { email: 'eve@example.test', name: '\u200b', password }
    expect(() => parseInput(signUpSchema, nothing)).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ path: 'name', code: 'required' })] }),
    )
  })

  it('refuses the address of an account with account-exists, also when ten people sign up at once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => refusalOf(sign('r&d@firm.example'))))
    expect(outcomes.toSorted()).toEqual([...Array.from({ length: 9 }, () => 'account-exists'), 'done'])
    expect(await refusalOf(sign('R&D@firm.example'))).toBe('account-exists')
    expect(await people()).toHaveLength(1)
  })
})

it('invites an address with every character that HTML accepts', async () => {
  const owner = await aMember(test.app)
  const { invited, failed } = await invite(test.app, requireOrg(owner, 'invite-member'), [
    { email: '\u200bR&D@firm.example ', role: 'member' },
  ])
  expect(failed).toEqual([])
  expect(invited).toMatchObject([{ email: 'r&d@firm.example' }])
})
