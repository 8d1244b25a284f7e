import { z } from 'zod'
import { defineMail } from '#fw'

export default defineMail({
  description: 'Each morning: the bookings of the day, for the owners of a studio.',
  data: z.object({ count: z.int() }),
  example: { count: 12 },
  href: () => '/bookings',
  topic: 'day-report',
})
