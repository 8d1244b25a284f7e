import { z } from 'zod'
import { defineMail } from '#fw'
import { timeInZone } from '../../shared/utils/time-in-zone'

export default defineMail({
  description: 'Confirms a booking to the visitor.',
  data: z.object({ name: z.string(), title: z.string(), startsAt: z.string(), timeZone: z.string() }),
  example: { name: 'Maria Ortiz', title: 'Yoga', startsAt: '2031-05-20T16:30:00Z', timeZone: 'Europe/Berlin' },
  values: ({ startsAt, timeZone, ...data }, { language }) => ({
    ...data,
    time: timeInZone(startsAt, timeZone, language),
  }),
})
