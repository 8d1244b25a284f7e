import { testApp } from 'nuxt-fairway/vitest'
import { expect, it } from 'vitest'
import { bookings } from '../server/database/bookings'

it('lets one of two visitors book a slot, who gets a mail', async () => {
  const app = await testApp()
  const maria = await app.person({ name: 'Maria', organization: 'Acme' })
  await app.as(maria).run('open-slots', { from: '2090-05-20T09:00:00Z', count: 2 })
  const visitor = app.as(null)
  const { slots } = await visitor.run('list-free-slots', { organization: maria.orgId ?? '' })
  const tickets = [await visitor.fetch('/_fw/form-ticket'), await visitor.fetch('/_fw/form-ticket')]
  app.clock.advance({ seconds: 5 })
  const attempts = tickets.map(async (answer, index) => {
    const check = { ...(await answer.json()), trap: '' }
    return visitor.run('book-slot', { slot: slots[0]?.id ?? '', name: 'Ben', email: `ben${index}@example.test`, check })
  })
  const failed = (await Promise.allSettled(attempts)).filter(({ status }) => status === 'rejected')
  expect(failed).toMatchObject([{ reason: { code: 'conflict', status: 409 } }])
  expect(await app.db.select().from(bookings)).toHaveLength(1)
  const activity = await (await app.as(maria).fetch('/_fw/activity')).json()
  expect(activity.entries[0]).toMatchObject({ action: 'book-slot', via: 'visitor', subject: { title: 'Ben' } })
  await app.jobs.run()
  expect(app.mails).toMatchObject([{ subject: 'Your booking is confirmed' }])
})
