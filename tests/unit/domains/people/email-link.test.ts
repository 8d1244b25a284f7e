import { describe, expect, it } from 'vitest'
import { endEmailLinks, findEmailLink, issueEmailLink, spendEmailLink } from '#fairway/server/domains/people'
import { useTestApp } from '../../../support/use-app'
import { refusalOf } from '../../../support/error-code'
import { countRows, query } from '../../../support/query'

const BASE_URL = 'https://app.example.test'
const payload = { returnPath: '/', language: 'en', userAgent: '', clientAddress: '' } as const
const test = useTestApp({ FW_BASE_URL: BASE_URL })

describe('issueEmailLink', () => {
  it.each([
    ['magic-link', 10],
    ['verification', 24 * 60],
    ['password-reset', 30],
  ] as const)('issues a link of the kind %s that is valid for %i minutes', async (purpose, minutes) => {
    const { setCookie } = await issueEmailLink(test.app, { purpose, email: 'ada@example.test', payload })
    const [row] = await query(test.app, 'select expires_at - created_at as life from fw_one_time')
    expect(row?.life).toBe(minutes * 60_000)
    expect(setCookie).toContain(`Max-Age=${minutes * 60}`)
  })

  it('keeps links of known browsers open beside any number of others, and opens both kinds', async () => {
    const ask = async (isKnown: boolean) => {
      const { href } = await issueEmailLink(test.app, {
        purpose: 'magic-link',
        email: 'ada@example.test',
        payload,
        isKnown,
      })
      return new URL(href).searchParams.get('token') ?? ''
    }
    const known = await ask(true)
    const strange = [await ask(false), await ask(false), await ask(false), await ask(false)]
    const spend = async (token: string) => {
      const link = await findEmailLink(test.app, token, undefined)
      await spendEmailLink(test.app, link)
      return link.purpose
    }
    expect(await refusalOf(spend(strange[0] ?? ''))).toBe('link-expired')
    expect([await spend(strange[3] ?? ''), await spend(known)]).toEqual(['magic-link', 'magic-link'])
    await ask(true)
    await endEmailLinks(test.app, 'ada@example.test')
    expect(await countRows(test.app, 'fw_one_time where used_at is null and expires_at > ?', [Date.now()])).toBe(0)
  })

  it('links to the configured address with a 256-bit random token, and stores only its hash', async () => {
    const ask = () => issueEmailLink(test.app, { purpose: 'magic-link', email: 'ada@example.test', payload })
    const links = [new URL((await ask()).href), new URL((await ask()).href)]
    const tokens = links.map(link => link.searchParams.get('token') ?? '')
    expect(links.map(({ origin }) => origin)).toEqual([BASE_URL, BASE_URL])
    for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    expect(tokens[0]).not.toBe(tokens[1])
    const rows = JSON.stringify(await query(test.app, 'select * from fw_one_time'))
    for (const token of tokens) expect(rows).not.toContain(token)
  })
})
