import { and, asc, eq, gte, lt } from 'drizzle-orm'
import { csvText, defineJob } from '#fw'
import { timeInZone } from '../../shared/utils/time-in-zone'
import { bookings } from '../database/bookings'
import { lessons } from '../database/lessons'
import { studios } from '../database/studios'

export default defineJob({
  description: 'Mails the bookings of the next 24 hours to the owners of each studio, at seven by its own clock.',
  schedule: {
    cron: '0 7 * * *',
    each: 'organization',
    async timeZone({ id }, { db }) {
      const [studio] = await db.select().from(studios).where(eq(studios.orgId, id))
      return studio?.timeZone
    },
  },
  async run(_input, { db, now, orgId, members, mail }) {
    const tomorrow = new Date(now().getTime() + 24 * 60 * 60 * 1000)
    const rows = await db
      .select()
      .from(bookings)
      .innerJoin(lessons, eq(lessons.id, bookings.lessonId))
      .innerJoin(studios, eq(studios.orgId, lessons.orgId))
      .where(and(eq(studios.orgId, orgId ?? ''), gte(lessons.startsAt, now()), lt(lessons.startsAt, tomorrow)))
      .orderBy(asc(lessons.startsAt), asc(bookings.name))
    if (rows.length === 0) return
    const lines = rows.map(({ bookings: { name, email }, lessons: { title, startsAt }, studios: { timeZone } }) => ({
      Beginn: timeInZone(startsAt, timeZone, 'de'),
      Kurs: title,
      Name: name,
      'E-Mail': email,
    }))
    const attachments = [{ name: 'buchungen.csv', content: csvText(lines, { separator: ';' }) }]
    for (const { email } of await members({ roles: ['owner'] }))
      await mail('day-report', { to: email, data: { count: rows.length }, attachments })
  },
})
