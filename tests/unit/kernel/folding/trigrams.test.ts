import { beforeEach, describe, expect, it } from 'vitest'
import { listPeople, PERSON_TEXT } from '#fairway/server/domains/people'
import { listMembers } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { keepTrigrams, rowsThatMayContain } from '#fairway/server/kernel/folding/trigrams'
import { containsFolded } from '#fairway/shared/fold-text'
import { createTestApp, type TestApp } from '../../../support/app'
import { type Sqld, startSqld } from '../../../support/database-sqld'
import { addTo, aMember } from '../../../support/members'
import { countRows, query } from '../../../support/query'
import { useTestApp } from '../../../support/use-app'

const NAMES = [
  'Ada Lovelace',
  'Zoë Ångström',
  'Łukasz Żółć',
  'مُحَمَّد',
  '李小龍',
  'Straße Groß',
  'İpek "O’Neil" 100%',
  '',
  'Jo',
  '\u{1F600}\u{1F601}\u{1F602} smile',
]

let app: App

const found = async (text: string): Promise<string[] | undefined> => {
  const part = await rowsThatMayContain(app, PERSON_TEXT, text)
  if (!part) return undefined
  return (await query(app, part.sql, part.args)).map(({ id }) => String(id))
}
const add = (name: string, at: number | string) => aMember(app, { name, email: `p${at}@example.test` })
const numberOf = (name: string) =>
  countRows(
    app,
    `fw_person_text_trigrams t join fw_person_text_rows r using (n) join users u using (id) where u.name = ?`,
    [name],
  )

describe.each(['a file', 'a libSQL server'])('rowsThatMayContain on %s', store => {
  // A request to the server takes milliseconds.
  const names = store === 'a file' ? NAMES : NAMES.slice(1, 3)
  let server: Sqld | undefined
  let test: TestApp
  beforeEach(async () => {
    server = store === 'a file' ? undefined : await startSqld()
    test = await createTestApp(server ? { DATABASE_URL: server.url } : {})
    app = test.app
    return async () => {
      await test.close()
      await server?.stop()
    }
  })

  it('leads to every row that contains a text, also those from before the triggers, after updates and deletions', async () => {
    const people = []
    for (const [at, name] of names.entries()) people.push(await add(name, `before${at}`))
    await keepTrigrams(app, PERSON_TEXT)
    for (const [at, name] of names.entries()) people.push(await add(name, `after${at}`))
    const [first, second, third] = people
    await query(app, `update users set name = 'Renamed Şahin' where id = ?`, [String(first?.userId)])
    await query(app, `update users set email = 'moved@elsewhere.test' where id = ?`, [String(second?.userId)])
    await query(app, 'delete from users where id = ?', [String(third?.userId)])
    const rows = await query(app, 'select id, name, email from users')
    const texts = rows.flatMap(({ name, email }) => [String(name), String(email), `${String(name)}\n${String(email)}`])
    let narrowed = 0
    for (const text of texts)
      for (let at = 0; at < text.length; at += 3)
        for (const length of [2, 3, 5]) {
          const sought = [...text]
            .slice(at, at + length)
            .join('')
            .trim()
          const ids = await found(sought)
          if (!ids) continue
          narrowed++
          const containing = rows.filter(({ name, email }) =>
            containsFolded(`${String(name)}\n${String(email)}`, sought),
          )
          expect(ids, sought).toEqual(expect.arrayContaining(containing.map(({ id }) => id)))
        }
    expect(narrowed).toBeGreaterThan(names.length * 10)
  })

  it('narrows nothing for short and frequent texts, nor without its triggers', async () => {
    await add('Ada Lovelace', 1)
    expect(await found('lovelace')).toBeUndefined()
    await keepTrigrams(app, PERSON_TEXT)
    expect([await found('lo'), await found('lovelace')]).toEqual([undefined, [expect.any(String)]])
    await query(
      app,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1001)
        insert into users (id, name, email, created_at, updated_at) select 'many' || i, 'Lovelace', i || '@many.test', 0, 0 from n`,
    )
    expect([await found('lovelace'), await found('lovelace x')]).toEqual([undefined, []])
    expect(await found('77@many')).toEqual(expect.arrayContaining(['many77', 'many777']))
    await query(app, 'drop trigger "fw_text_users:update"')
    expect(await found('77@many')).toBeUndefined()
  })

  it('keeps nothing of a deleted person, and what is there when several processes start', async () => {
    await Promise.all([keepTrigrams(app, PERSON_TEXT), keepTrigrams(app, PERSON_TEXT), keepTrigrams(app, PERSON_TEXT)])
    const { userId } = await add('Quixotic', 1)
    expect(await numberOf('Quixotic')).toBeGreaterThan(10)
    await Promise.all([keepTrigrams(app, PERSON_TEXT), keepTrigrams(app, PERSON_TEXT)])
    expect(await found('quixotic')).toEqual([userId])
    await query(app, 'delete from users where id = ?', [userId])
    expect(await countRows(app, 'fw_person_text_trigrams')).toBe(0)
    expect(await countRows(app, 'fw_person_text_rows')).toBe(0)
  })
})

describe('searches', () => {
  const test = useTestApp()
  beforeEach(() => void (app = test.app))

  it('people and members are found by any part of the name or address', async () => {
    await keepTrigrams(app, PERSON_TEXT)
    const owner = await add('Olga Owner', 'olga')
    const member = await add('Zoë Ångström', 'zoe')
    await addTo(app, owner, member, 'member')
    await add('Zoë Elsewhere', 'other')
    const people = async (search: string) =>
      (await listPeople(app, { search })).people.map(({ name }) => name).toSorted()
    const members = async (search: string) =>
      (
        await listMembers(app, { orgId: owner.orgId ?? '', role: 'owner' }, { search, page: 1, itemsPerPage: 30 })
      ).members.map(({ name }) => name)
    expect(await people('zoe')).toEqual(['Zoë Elsewhere', 'Zoë Ångström'])
    expect(await people(' ANGSTR ')).toEqual(['Zoë Ångström'])
    expect(await people('pzoe@')).toEqual(['Zoë Ångström'])
    expect(await people('zoe nobody')).toEqual([])
    expect(await members('zoe')).toEqual(['Zoë Ångström'])
    expect(await members('g')).toEqual(['Olga Owner', 'Zoë Ångström'])
  })
})
