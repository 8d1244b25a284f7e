import { describe, expect, it } from 'vitest'
import { withRun } from '#fairway/server/kernel/current-run'
import { checkForm, issueFormTicket } from '#fairway/server/kernel/limits/form-check'
import { useTestApp } from '../../../support/use-app'
import { refusalOf } from '../../../support/error-code'

const NETWORK = '192.0.2.1'
const test = useTestApp({ FW_RATE_LIMITS: 'on' })

/** The result of the check for a form that is sent after some seconds. */
const sent = (ticket: string, { after = 5, trap = '', clientAddress = NETWORK, isLimited = false } = {}) => {
  const app = { ...test.app, now: () => new Date(Date.now() + after * 1000) }
  return refusalOf(withRun({ app, session: null, clientAddress, isLimited }, () => checkForm({ ticket, trap })))
}
const ticket = async () => (await issueFormTicket(test.app, NETWORK)).ticket

describe('checkForm', () => {
  it('accepts a ticket once, even with concurrent requests', async () => {
    const one = await ticket()
    const codes = await Promise.all([sent(one), sent(one), sent(one)])
    expect(codes.toSorted()).toEqual(['form-check-failed', 'form-check-failed', 'done'].toSorted())
  })

  it.each([
    ['sent sooner than anybody can fill it in', { after: 1 }],
    ['sent more than two hours later', { after: 2 * 60 * 60 + 60 }],
    ['with the hidden field filled in', { trap: 'https://spam.example' }],
  ])('refuses a form %s', async (_what, how) => {
    expect(await sent(await ticket(), how)).toBe('form-check-failed')
  })

  it('refuses a ticket that the server did not issue', async () => {
    const own = await ticket()
    for (const other of ['', 'made-up', `${own.slice(0, -2)}AA`]) expect(await sent(other)).toBe('form-check-failed')
  })

  it('limits the number of forms from one network', async () => {
    const codes: unknown[] = []
    for (let count = 0; count < 11; count += 1) codes.push(await sent(await ticket()))
    expect(codes).toEqual([...Array(10).fill('done'), 'rate-limited'])
    expect(await sent(await ticket(), { clientAddress: '198.51.100.7' })).toBe('done')
  })

  it('leaves counting to the limit of the declaration', async () => {
    for (let count = 0; count < 12; count += 1) expect(await sent(await ticket(), { isLimited: true })).toBe('done')
  })
})
