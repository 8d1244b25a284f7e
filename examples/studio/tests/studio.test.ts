import { testApp } from 'nuxt-fairway/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { bookings } from '../server/database/bookings'
import { lessons } from '../server/database/lessons'

const yoga = { title: 'Yoga für alle', startsAt: '2031-05-20T16:30:00Z', minutes: 60, price: 1450, places: 2 }

let app: Awaited<ReturnType<typeof testApp>>
let olga: Awaited<ReturnType<typeof app.person>>
beforeEach(async () => {
  app = await testApp({ now: '2031-05-19T12:00:00Z' })
  olga = await app.person({ name: 'Olga', organization: 'Larch' })
  const studio = { slug: 'larch', name: 'Larch Yoga', email: 'hello@larch.test', timeZone: 'Europe/Berlin' }
  await app.as(olga).run('save-studio', studio)
})

/** Books a place as visitors do, with a form that was open for five seconds. */
async function book(lessonId: string, name: string) {
  const visitor = app.as(null)
  const { ticket } = await (await visitor.fetch('/_fw/form-ticket')).json()
  app.clock.advance({ seconds: 5 })
  const email = `${name.toLowerCase()}@example.test`
  return visitor.run('book-lesson', { lessonId, name, email, language: 'de', check: { ticket, trap: '' } })
}

describe('visitors', () => {
  it('book the places of a class and no more; the log says a visitor', async () => {
    const { id } = await app.as(olga).run('create-lesson', yoga)
    await book(id, 'Maria')
    const last = await Promise.allSettled([book(id, 'Tom'), book(id, 'Eve')])
    expect(last.filter(({ status }) => status === 'rejected')).toMatchObject([{ reason: { code: 'conflict' } }])
    expect(await app.db.select().from(bookings)).toHaveLength(2)
    const { items } = await app.as(null).list('open-lessons', { slug: 'larch' })
    expect(items).toMatchObject([{ title: yoga.title, places: 2, booked: 2, timeZone: 'Europe/Berlin' }])
    const activity = await (await app.as(olga).fetch('/_fw/activity')).json()
    expect(activity.entries[0]).toMatchObject({ action: 'book-lesson', via: 'visitor' })
  })

  it('get a confirmation and a cancellation in their language, each with the calendar entry', async () => {
    const { id } = await app.as(olga).run('create-lesson', yoga)
    await book(id, 'Maria')
    await app.as(olga).run('cancel-lesson', { id })
    await app.jobs.run()
    expect(app.mails).toMatchObject([
      { to: 'maria@example.test', subject: `Ihr Platz in ${yoga.title}` },
      { to: 'maria@example.test', subject: `Abgesagt: ${yoga.title}` },
    ])
    expect(app.mails[0]?.text).toContain('Dienstag, 20. Mai 2031 um 18:30')
    const entries = app.mails.map(({ attachments }) => String(attachments[0]?.content))
    expect(entries).toEqual([expect.stringContaining('METHOD:PUBLISH'), expect.stringContaining('METHOD:CANCEL')])
    expect(await app.db.select().from(bookings)).toEqual([])
  })

  it('see the photo of a class', async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAfbLI3wAAAABJRU5ErkJggg=='
    const form = { method: 'POST', headers: { 'x-file-name': 'a.png' }, body: Buffer.from(png, 'base64') }
    const { ticket } = await (await app.as(olga).fetch('/_fw/files/lesson-photo', form)).json()
    await app.as(olga).run('create-lesson', { ...yoga, photo: ticket })
    const { items } = await app.as(null).list('open-lessons')
    expect((await app.as(null).fetch(items[0]?.photo?.url ?? '')).headers.get('content-type')).toBe('image/png')
  })
})

describe('the team', () => {
  it('reads the bookings of its own classes', async () => {
    const tom = await app.person({ name: 'Tom', organization: 'Larch' })
    const own = await app.as(olga).run('create-lesson', { ...yoga, teacher: tom.email })
    const other = await app.as(olga).run('create-lesson', { ...yoga, title: 'Pilates' })
    await book(own.id, 'Maria')
    await book(other.id, 'Eve')
    const names = async (person: typeof tom) =>
      (await app.as(person).list('booking-list')).items.map(({ name }) => name).toSorted()
    expect([await names(tom), await names(olga)]).toEqual([['Maria'], ['Eve', 'Maria']])
    await expect(app.as(tom).run('cancel-lesson', { id: own.id })).rejects.toMatchObject({ code: 'forbidden' })
    await app.expectPolicy(lessons).toBe({
      member: ['read'],
      teacher: ['read', 'update'],
      admin: ['read', 'create', 'update', 'delete'],
      outsider: [],
    })
  })

  it('gets the report at seven by the clock of the studio', async () => {
    const { id } = await app.as(olga).run('create-lesson', yoga)
    await book(id, 'Maria')
    await app.jobs.run()
    app.clock.set('2031-05-20T04:59:00Z')
    expect((await app.jobs.run()).map(({ name }) => name)).not.toContain('day-report')
    app.clock.set('2031-05-20T05:00:00Z')
    expect(await app.jobs.run()).toContainEqual(expect.objectContaining({ name: 'day-report', state: 'done' }))
    await app.jobs.run()
    const report = app.mails.at(-1)
    expect(report).toMatchObject({ to: olga.email, subject: 'Buchungen heute: 1' })
    expect(String(report?.attachments[0]?.content)).toContain('Yoga für alle;Maria;maria@example.test')
  })

  it('imports a spreadsheet, within the limit of its plan', async () => {
    const rows = Array.from({ length: 6 }, (_, week) => ({ ...yoga, title: `Yoga ${week}`, price: '1450' }))
    await expect(app.as(olga).run('import-lessons', { rows })).rejects.toMatchObject({ code: 'plan-limit' })
    await app.as(olga).run('choose-plan', { plan: 'studio' })
    expect(await app.as(olga).run('import-lessons', { rows })).toMatchObject({ rows: 6 })
  })
})

it('lets an assistant list, add and cancel classes, and asks before it cancels', async () => {
  const asked: string[] = []
  const host = await app.as(olga).mcp({ answer: question => (asked.push(question), true) })
  await host.callTool({ name: 'create-lesson', arguments: yoga })
  const { structuredContent } = await host.callTool({ name: 'list-lesson-list', arguments: {} })
  expect(structuredContent).toMatchObject({ items: [{ title: yoga.title, price: 1450 }] })
  const [lesson] = await app.db.select().from(lessons)
  await host.callTool({ name: 'cancel-lesson', arguments: { id: lesson?.id } })
  expect(asked).toEqual([expect.stringContaining('Den Kurs „Yoga für alle“ absagen?')])
  expect(await app.db.$count(lessons)).toBe(0)
})
