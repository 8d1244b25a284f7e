import { describe, expect, it } from 'vitest'
import { codeOf, statusAndCode } from '../support/error-code'
import { createBrowser, sessionOf } from '../support/http'
import { newestMail, readOutbox } from '../support/mail'
import { countRows, query } from '../support/query'
import { borrowServer } from '../support/server'
import { useServer } from '../support/use-server'
import { createTeamWorld, PASSWORD, type TeamPerson } from '../support/team'

const PATH = '/_fw/account/address'
const server = useServer()
const world = createTeamWorld(server)
let count = 0

const newAddress = () => `moved${++count}@example.test`
const ask = ({ browser }: TeamPerson, email: string, more: object = {}) =>
  browser.post(PATH, { json: { email, ...more } })
const tokenTo = (email: string) => newestMail(server.dataDir, email).link.searchParams.get('token') ?? ''
const press = (token: string) => createBrowser(server.origin).post('/_fw/address', { form: { token } })
const stateOf = async ({ browser }: TeamPerson) => (await browser.get(PATH)).json()
const emailOf = async ({ userId }: TeamPerson) =>
  (await query(server, 'select email from users where id = ?', [userId]))[0]?.email
const subjectsTo = (email: string) =>
  readOutbox(server.dataDir)
    .filter(({ to }) => to === email)
    .map(({ subject }) => subject)

describe('Email address change', () => {
  it('changes the address only after the old and the new address have both confirmed', async () => {
    const person = await world.person()
    const email = newAddress()
    expect((await ask(person, email)).status).toBe(202)
    expect((await stateOf(person)).change).toMatchObject({ email, oldConfirmed: false, newConfirmed: false })

    const [oldToken, newToken] = [tokenTo(person.email), tokenTo(email)]
    // Opening the page changes nothing, because mail scanners open links.
    const page = await createBrowser(server.origin).get(`/_fw/address?token=${newToken}`)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Confirm your new address')])
    expect((await press(newToken)).status).toBe(200)
    expect(await emailOf(person)).toBe(person.email)
    expect((await stateOf(person)).change).toMatchObject({ oldConfirmed: false, newConfirmed: true })

    expect(await (await press(oldToken)).text()).toContain('Your address has changed')
    expect(await sessionOf(person.browser)).toMatchObject({ email, emailVerified: true })
    expect((await stateOf(person)).change).toBeNull()
    for (const to of [person.email, email])
      expect(subjectsTo(to).at(-1)).toBe('Your email address was changed (Fairway)')
    const events = `security_events where kind = 'address-changed' and user_id = ?`
    expect(await countRows(server, events, [person.userId])).toBe(1)
  })

  it('moves notes and invitations to the new address and ends the other sessions', async () => {
    const { owner, member } = await world.team()
    const { browser: elsewhere } = await world.person()
    await elsewhere.post('/_fw/auth/sign-in/email', { json: { email: member.email, password: PASSWORD } })
    await member.browser.post('/_fw/actions/create-note', { json: { title: 'Mine', text: '' } })
    const invited = newAddress()
    await owner.browser.post('/_fw/org/invitations', { json: { email: invited, role: 'member' } })
    const email = newAddress()
    await ask(member, email)
    await press(tokenTo(email))
    await press(tokenTo(member.email))

    expect(await countRows(server, 'notes where owner_email = ?', [email])).toBe(1)
    expect(await countRows(server, 'notes where owner_email = ?', [member.email])).toBe(0)
    expect(await countRows(server, `org_invitations where email = ? and status = 'accepted'`, [email])).toBe(1)
    expect(await sessionOf(elsewhere)).toBeNull()
    expect((await sessionOf(member.browser)).email).toBe(email)
    const { notes } = await member.browser
      .post('/_fw/actions/list-notes', { json: {} })
      .then(async answer => (await answer.json()).result)
    expect(notes).toHaveLength(1)
  })

  it('returns the same 202 for an address that has an account and notifies its owner by email', async () => {
    const [person, other] = [await world.person(), await world.person()]
    const answer = await ask(person, other.email)
    expect(answer.status).toBe(202)
    expect(await answer.json()).toEqual({
      change: expect.objectContaining({ email: other.email, oldConfirmed: false, newConfirmed: false }),
    })
    expect(subjectsTo(other.email).at(-1)).toBe('This address already has an account (Fairway)')
    expect(newestMail(server.dataDir, other.email).link.pathname).toBe('/sign-in')
    const page = await press(tokenTo(person.email))
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(`sent to ${other.email}`)])
    expect(await emailOf(person)).toBe(person.email)
  })

  it('returns 409 only to the new address’s link when another account takes that address first', async () => {
    const person = await world.person()
    const email = newAddress()
    await ask(person, email)
    const [oldToken, newToken] = [tokenTo(person.email), tokenTo(email)]
    await world.person({ email })
    const page = await press(newToken)
    expect([page.status, await page.text()]).toEqual([409, expect.stringContaining('account-exists')])
    expect(await (await press(oldToken)).text()).not.toContain('account-exists')
    expect(await emailOf(person)).toBe(person.email)
  })

  it('takes the address from an unconfirmed account, which keeps its rows under a released address', async () => {
    const person = await world.person()
    const stranger = await world.person({ verified: false })
    await stranger.browser.post('/_fw/actions/create-note', { json: { title: 'Theirs', text: '' } })
    await ask(person, stranger.email)
    expect(subjectsTo(stranger.email).at(-1)).not.toContain('already has an account')
    await press(tokenTo(stranger.email))
    await press(tokenTo(person.email))
    expect(await emailOf(person)).toBe(stranger.email)
    expect(await sessionOf(stranger.browser)).toBeNull()
    const released = `released-${stranger.userId}@account.invalid`
    expect(await query(server, 'select email, email_verified from users where id = ?', [stranger.userId])).toEqual([
      { email: released, email_verified: 0 },
    ])
    expect(await query(server, 'select title from notes where owner_email = ?', [released])).toEqual([
      { title: 'Theirs' },
    ])
    expect(await countRows(server, 'notes where owner_email = ?', [stranger.email])).toBe(0)
  })

  it('changes the address once when its links are submitted concurrently', async () => {
    const person = await world.person()
    const email = newAddress()
    await ask(person, email)
    const tokens = [tokenTo(person.email), tokenTo(email)]
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => press(tokens[n % 2] ?? '')))
    const pages = await Promise.all(answers.map(answer => answer.text()))
    expect(pages.filter(page => page.includes('Your address has changed'))).toHaveLength(1)
    expect(await emailOf(person)).toBe(email)
    expect(subjectsTo(email).filter(subject => subject.includes('was changed'))).toHaveLength(1)
  })

  it('invalidates its links after a newer request, after cancellation and after 24 hours', async () => {
    const person = await world.person()
    const [first, second, third] = [newAddress(), newAddress(), newAddress()]
    await ask(person, first)
    const former = tokenTo(first)
    await ask(person, second)
    expect(await (await press(former)).text()).toContain('link-unknown')
    const taken = tokenTo(second)
    expect((await person.browser.request(PATH, { method: 'DELETE' })).status).toBe(204)
    expect(await (await press(taken)).text()).toContain('link-unknown')
    await ask(person, third)
    const late = tokenTo(third)
    await query(server, 'update fw_one_time set expires_at = 1 where subject = ?', [person.userId])
    await query(server, 'update fw_address_changes set expires_at = 1 where user_id = ?', [person.userId])
    const page = await press(late)
    expect([page.status, await page.text()]).toEqual([410, expect.stringContaining('link-expired')])
    expect((await stateOf(person)).change).toBeNull()
  })

  it('resends the email only to the address that is not confirmed and invalidates the earlier link', async () => {
    const person = await world.person()
    const email = newAddress()
    expect(await statusAndCode(await person.browser.post(`${PATH}/resend`, { json: {} }))).toEqual([404, 'not-found'])
    await ask(person, email, { language: 'de' })
    expect(newestMail(server.dataDir, email).text).toContain('Gerät: Unbekannter Browser unter')
    await press(tokenTo(person.email))
    const former = tokenTo(email)
    const before = subjectsTo(person.email).length
    expect((await person.browser.post(`${PATH}/resend`, { json: { language: 'de' } })).status).toBe(202)
    expect(subjectsTo(person.email)).toHaveLength(before)
    expect((await press(former)).status).toBe(410)
    expect(await (await press(tokenTo(email))).text()).toContain('Ihre Adresse wurde geändert')
  })
})

describe('POST /_fw/account/address', () => {
  it('requires a sign-in within the last 15 minutes or the password', async () => {
    const person = await world.person()
    await query(server, 'update sessions set created_at = created_at - 960000 where user_id = ?', [person.userId])
    const email = newAddress()
    expect(await statusAndCode(await ask(person, email))).toEqual([403, 'fresh-session-required'])
    expect(await statusAndCode(await ask(person, email, { password: 'wrong' }))).toEqual([401, 'invalid-credentials'])
    expect((await stateOf(person)).proof).toEqual({ isFresh: false, hasPassword: true })
    expect((await ask(person, email, { password: PASSWORD })).status).toBe(202)
  })

  it('returns 400 for an invalid or unchanged address and 403 for an unconfirmed account', async () => {
    const person = await world.person()
    for (const email of ['nonsense', person.email, person.email.toUpperCase(), 'dev@localhost'])
      expect([email, (await ask(person, email)).status]).toEqual([email, 400])
    const unconfirmed = await world.person({ verified: false })
    expect(await statusAndCode(await ask(unconfirmed, newAddress()))).toEqual([403, 'email-not-verified'])
    expect((await stateOf(unconfirmed)).refusal).toBe('email-not-verified')
  })

  it('returns 503 when the server cannot send email', async () => {
    const silent = await borrowServer({ env: { NODE_ENV: 'production', AUTH_REQUIRE_EMAIL_VERIFICATION: '0' } })
    try {
      const person = await createTeamWorld(silent).person()
      const answer = await ask(person, newAddress())
      expect([answer.status, await codeOf(answer)]).toEqual([503, 'mail-unavailable'])
    } finally {
      await silent.stop()
    }
  })
})
