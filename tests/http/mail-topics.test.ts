import { beforeAll, describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { query } from '../support/query'
import { useServer } from '../support/use-server'
import { createTeamWorld, type TeamPerson } from '../support/team'

const PATH = '/_fw/account/mail'
const server = useServer({ application: 'author' })
const world = createTeamWorld(server)

beforeAll(async () => {}, 600_000)

const listOf = async ({ browser }: TeamPerson, search = '') => (await browser.get(PATH + search)).json()
const set = ({ browser }: TeamPerson, topic: string, isOn: boolean) =>
  browser.request(`${PATH}/${topic}`, { method: 'PUT', json: { isOn } })

describe('GET /_fw/account/mail', () => {
  it('lists the topics of the application and of the platform in the language of the page', async () => {
    const person = await world.person()
    expect(await listOf(person)).toEqual({
      topics: [
        { topic: 'felling-news', name: 'News from the felling', isOn: true, isInInbox: true },
        { topic: 'unused-access', name: 'Monthly review of unused access', isOn: true, isInInbox: true },
      ],
    })
    expect(await listOf(person, '?language=de')).toMatchObject({
      topics: [{ name: 'Neues vom Einschlag' }, { name: 'Monatliche Übersicht ungenutzter Zugriffe' }],
    })
  })
})

describe('PUT /_fw/account/mail/:topic', () => {
  it('turns a topic off and on for this account only and writes an audit row', async () => {
    const [one, other] = [await world.person(), await world.person()]
    const isOn = async (who: TeamPerson) => (await listOf(who)).topics[0].isOn
    expect((await set(one, 'felling-news', false)).status).toBe(204)
    expect((await set(one, 'felling-news', false)).status).toBe(204)
    expect([await isOn(one), await isOn(other)]).toEqual([false, true])
    expect((await set(one, 'felling-news', true)).status).toBe(204)
    expect(await isOn(one)).toBe(true)
    const rows = await query(
      server,
      `select count(*) as n from audit_log where action = 'switch-mail-topic' and user_id = ?`,
      [one.userId],
    )
    expect(rows).toEqual([{ n: 3 }])
  })

  it('turns a topic off in the inbox alone, and needs one of the two', async () => {
    const { browser } = await world.person()
    const put = (json: object) => browser.request(`${PATH}/felling-news`, { method: 'PUT', json })
    expect((await put({ isInInbox: false })).status).toBe(204)
    expect((await (await browser.get(PATH)).json()).topics[0]).toMatchObject({ isOn: true, isInInbox: false })
    expect(await statusAndCode(await put({}))).toEqual([400, 'invalid-input'])
  })

  it('returns 404 for an unknown topic', async () => {
    expect(await statusAndCode(await set(await world.person(), 'nothing', false))).toEqual([404, 'not-found'])
  })
})
