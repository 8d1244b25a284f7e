import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkDueDomains } from '#fairway/server/domains/organizations'
import { checkDomain, claimDomain, listDomains } from '#fairway/server/domains/organizations/proved-domains'
import { requireOrg } from '#fairway/server/domains/organizations/org-context'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { startDns } from '../../../support/dns'
import { codeOf, refusalOf, statusAndCode } from '../../../support/error-code'
import { useServer } from '../../../support/use-server'
import { aMember, addTo } from '../../../support/members'
import { query } from '../../../support/query'
import { createTeamWorld, type TeamPerson } from '../../../support/team'

const HOUR_IN_MS = 60 * 60 * 1000
const DAY_IN_MS = 24 * HOUR_IN_MS
const dns = await startDns()
const FW_DNS_SERVERS = dns.address
afterAll(() => dns.stop())

let count = 0
const aDomain = () => `larch${++count}.example.org`

describe('/_fw/org/domains', () => {
  const server = useServer({ env: { FW_DNS_SERVERS } })
  const world = createTeamWorld(server)
  const claim = (who: TeamPerson, domain: string) => who.browser.post('/_fw/org/domains', { json: { domain } })
  const check = (who: TeamPerson, domain: string) => who.browser.post(`/_fw/org/domains/${domain}/check`)

  /** Publishes the record that a claim asks for. */
  async function prove(who: TeamPerson, domain: string): Promise<Response> {
    const { record } = await (await claim(who, domain)).json()
    dns.set(record.name, ['v=spf1 -all', record.value])
    return check(who, domain)
  }

  it('gives the record to publish, and proves the domain once the DNS has it', async () => {
    const owner = await world.person()
    const domain = aDomain()
    const claimed = await claim(owner, `  ${domain.toUpperCase()}. `)
    const entry = await claimed.json()
    expect([claimed.status, entry]).toEqual([
      201,
      {
        domain,
        status: 'pending',
        record: { name: `_fairway-challenge.${domain}`, value: expect.stringMatching(/^fairway-domain=[0-9a-f]{40}$/) },
        provedAt: null,
        checkedAt: null,
      },
    ])
    const missing = await (await check(owner, domain)).json()
    expect(missing).toMatchObject({ status: 'pending', seen: { answer: 'missing', values: [], hint: null } })
    dns.set(entry.record.name, ['something else', entry.record.value])
    const proved = await (await check(owner, domain)).json()
    expect(proved).toMatchObject({
      status: 'proved',
      seen: { answer: 'found', values: ['something else', entry.record.value] },
    })
    expect((await (await owner.browser.get('/_fw/org/domains')).json()).domains).toEqual([
      { ...entry, status: 'proved', provedAt: expect.any(String), checkedAt: expect.any(String) },
    ])
    const audited = await query(
      server,
      `select action from audit_log where action like '%domain' and user_id = ? order by at`,
      [owner.userId],
    )
    expect(audited.map(({ action }) => action)).toEqual(['claim-domain', 'check-domain', 'check-domain'])
  })

  it.each([
    ['not a domain', 'invalid-input'],
    ['', 'invalid-input'],
    ['192.0.2.1', 'invalid-input'],
    [`${'a'.repeat(64)}.example`, 'invalid-input'],
    ['co.uk', 'public-suffix-domain'],
    ['github.io', 'public-suffix-domain'],
    ['gmail.com', 'free-mail-domain'],
    ['mail.gmail.com', 'free-mail-domain'],
  ])('refuses %j with %s', async (domain, code) => {
    const owner = await world.person()
    expect(await statusAndCode(await claim(owner, domain))).toEqual([400, code])
  })

  it('belongs to one organization: another may claim it, and its check is refused', async () => {
    const [owner, other] = [await world.person(), await world.person()]
    const domain = aDomain()
    expect((await prove(owner, domain)).status).toBe(200)
    const claimed = await claim(other, domain)
    expect(claimed.status).toBe(201)
    const { record } = await claimed.json()
    dns.set(record.name, [record.value])
    expect(await statusAndCode(await check(other, domain))).toEqual([409, 'domain-taken'])
    expect((await (await other.browser.get('/_fw/org/domains')).json()).domains[0].status).toBe('pending')
  })

  it('covers exactly itself: its subdomains prove nothing', async () => {
    const owner = await world.person()
    const domain = aDomain()
    await prove(owner, domain)
    const joining = await owner.browser.request('/_fw/org', {
      method: 'PATCH',
      json: { allowedDomain: `eu.${domain}` },
    })
    expect(await codeOf(joining)).toBe('not-your-domain')
  })

  it('lets an owner with another address name a proved domain for joining, as long as it is proved', async () => {
    const owner = await world.person()
    const domain = aDomain()
    const name = () => owner.browser.request('/_fw/org', { method: 'PATCH', json: { allowedDomain: domain } })
    expect(await codeOf(await name())).toBe('not-your-domain')
    await prove(owner, domain)
    expect((await name()).status).toBe(200)
    const joiner = await world.person({ email: `joan@${domain}` })
    const joinable = async () => (await (await joiner.browser.get('/_fw/org')).json()).domainMatches.length
    expect(await joinable()).toBe(1)
    expect((await owner.browser.request(`/_fw/org/domains/${domain}`, { method: 'DELETE' })).status).toBe(204)
    expect(await joinable()).toBe(0)
  })

  it('is closed to members and strangers, and unknown domains are not found', async () => {
    const { owner, admin, member, outsider } = await world.team()
    const domain = aDomain()
    await prove(owner, domain)
    expect((await admin.browser.get('/_fw/org/domains')).status).toBe(200)
    expect(await statusAndCode(await claim(member, aDomain()))).toEqual([403, 'forbidden'])
    expect(await statusAndCode(await check(outsider, domain))).toEqual([404, 'not-found'])
    const removed = await outsider.browser.request(`/_fw/org/domains/${domain}`, { method: 'DELETE' })
    expect(await statusAndCode(removed)).toEqual([404, 'not-found'])
  })
})

describe('what a check sees', () => {
  let test: TestApp
  let owner: Session
  beforeEach(async () => {
    test = await createTestApp({ FW_DNS_SERVERS })
    owner = await aMember(test.app)
  })
  afterEach(() => test.close())
  const actor = () => requireOrg(owner, 'set-auth-provider')
  const look = async (domain: string) => (await checkDomain(test.app, actor().orgId, domain)).seen

  it.each([
    ['doubled-name', (name: string, domain: string) => `${name}.${domain}`, (value: string) => value],
    ['at-domain', (_name: string, domain: string) => domain, (value: string) => value],
    ['quoted', (name: string) => name, (value: string) => `"${value}"`],
  ] as const)('recognizes the mistake %s', async (hint, nameOf, textOf) => {
    const domain = aDomain()
    const { record } = await claimDomain(test.app, actor(), domain)
    dns.set(nameOf(record.name, domain), [textOf(record.value)])
    expect(await look(domain)).toMatchObject({ answer: 'missing', hint })
  })

  it('shows the alias that answers for the record', async () => {
    const domain = aDomain()
    const { record } = await claimDomain(test.app, actor(), domain)
    dns.alias(record.name, 'proof.elsewhere.example')
    dns.set('proof.elsewhere.example', [record.value])
    expect(await look(domain)).toMatchObject({ answer: 'found', hint: 'alias', alias: 'proof.elsewhere.example' })
  })

  it.each(['server-failure', 'silence'] as const)(
    'takes %s as no answer',
    async answer => {
      const domain = aDomain()
      const { record } = await claimDomain(test.app, actor(), domain)
      dns.set(record.name, answer)
      expect(await look(domain)).toMatchObject({ answer: 'none' })
    },
    30_000,
  )
})

describe('the daily check', () => {
  let test: TestApp
  let app: App
  let owner: Session
  let now = 0
  beforeEach(async () => {
    test = await createTestApp({ FW_DNS_SERVERS })
    now = Date.now()
    app = { ...test.app, now: () => new Date(now) }
    owner = await aMember(app)
  })
  afterEach(() => test.close())

  const stateOf = async (person = owner) =>
    (await listDomains(app, person.orgId ?? '')).map(({ status }) => status).join()
  async function proved(person = owner, domain = aDomain()) {
    const { record } = await claimDomain(app, requireOrg(person, 'set-auth-provider'), domain)
    dns.set(record.name, [record.value])
    await checkDomain(app, person.orgId ?? '', domain)
    return { domain, ...record }
  }
  async function days(count: number, answer: Parameters<typeof dns.set>[1], name: string) {
    dns.set(name, answer)
    for (let day = 0; day < count; day++) {
      now += DAY_IN_MS
      await checkDueDomains(app)
    }
  }

  it('lets a proof lapse after three definite answers without the record, and mails the owners', async () => {
    const admin = await aMember(app)
    await addTo(app, owner, admin, 'admin')
    const { domain, name } = await proved()
    await days(2, [], name)
    expect(await stateOf()).toBe('proved')
    await days(1, ['another text'], name)
    expect(await stateOf()).toBe('lapsed')
    const warning = { level: 'warn', message: 'a domain is no longer proved: its record is gone' }
    expect(test.lines()).toContainEqual(expect.objectContaining(warning))
    await vi.waitFor(() => {
      const subjects = test.lines().flatMap(({ subject }) => subject ?? [])
      expect(subjects).toEqual([`${domain} is no longer proved (Fairway)`])
    })
  })

  it('counts neither time-outs and server failures, nor several answers of one day, nor answers over a week apart', async () => {
    const { domain, name } = await proved()
    await days(5, 'server-failure', name)
    dns.set(name, [])
    for (let press = 0; press < 5; press++) await checkDomain(app, owner.orgId ?? '', domain)
    now += 7 * DAY_IN_MS
    await days(2, [], name)
    expect(await stateOf()).toBe('proved')
  })

  it('checks each domain once a day', async () => {
    await proved()
    now += 22 * HOUR_IN_MS
    expect(await checkDueDomains(app)).toEqual({ checked: 0 })
    now += HOUR_IN_MS
    expect(await checkDueDomains(app)).toEqual({ checked: 1 })
    expect(await checkDueDomains(app)).toEqual({ checked: 0 })
  })

  it('holds a lapsed domain for its organization for 30 days', async () => {
    const { domain, name, value } = await proved()
    await days(3, [], name)
    const other = await aMember(app)
    const take = () => refusalOf(proved(other, domain))
    expect(await take()).toBe('domain-taken')
    dns.set(name, [value])
    now += DAY_IN_MS
    await checkDueDomains(app)
    expect(await stateOf()).toBe('proved')
    await days(3, [], name)
    now += 31 * DAY_IN_MS
    expect(await take()).toBe('done')
    expect([await stateOf(), await stateOf(other)]).toEqual(['', 'proved'])
  })

  it('gives a new claim a new token, so an old record proves nothing', async () => {
    const { domain, name, value } = await proved()
    await query(app, 'delete from fw_org_domains', [])
    const { record } = await claimDomain(app, requireOrg(owner, 'set-auth-provider'), domain)
    expect(record.value).not.toBe(value)
    dns.set(name, [value])
    const { status, seen } = await checkDomain(app, owner.orgId ?? '', domain)
    expect([status, seen.answer, seen.values]).toEqual(['pending', 'missing', [value]])
  })
})
