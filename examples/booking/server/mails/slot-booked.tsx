import { z } from 'zod'
import { defineMail } from '#fw'

const time = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long', timeZone: 'UTC' })

export default defineMail({
  description: 'Confirms a booking to the visitor.',
  data: z.object({ name: z.string(), startsAt: z.string() }),
  example: { name: 'Maria Ortiz', startsAt: '2031-05-20T09:30:00.000Z' },
  values: ({ name, startsAt }) => ({ name, time: time.format(new Date(startsAt)) }),
})
