import { afterAll, beforeAll, expect, it } from 'vitest'
import { sessionOf } from '../support/http'
import { query } from '../support/query'
import { borrowServer, type TestServer } from '../support/server'
import { type StripeServer, startStripe } from '../support/stripe'
import { createTeamWorld, type TeamPerson } from '../support/team'

let stripe: StripeServer
let server: TestServer
beforeAll(async () => {
  stripe = await startStripe()
  server = await borrowServer({ application: 'author', env: { ...stripe.env, FW_OPERATORS: 'op@example.test' } })
}, 600_000)
afterAll(async () => {
  await server.stop()
  await stripe.stop()
})

/** A new person with their organization. */
async function owner() {
  const person = await createTeamWorld(server).person({ email: `owner${++people}@example.test` })
  const { orgId } = await sessionOf(person.browser)
  return { ...person, orgId: String(orgId) }
}
let people = 0

const quote = async ({ browser }: TeamPerson) => {
  const answer = await browser.post('/_fw/actions/create-quote', { json: { title: 'Two acres' } })
  return answer.ok ? 'done' : ((await answer.json()) as { code: string }).code
}
const planOf = async ({ browser }: TeamPerson) =>
  ((await (await browser.get('/_fw/org/plan')).json()) as { plan: { name: string; until: string | null } }).plan

it('sells a plan: limit reached, checkout page, signed event, new plan', async () => {
  const ada = await owner()
  expect([await quote(ada), await quote(ada), await quote(ada)]).toEqual(['done', 'done', 'plan-limit'])
  const checkout = await ada.browser.post('/_fw/actions/start-checkout', { json: { plan: 'pro' } })
  const { result } = (await checkout.json()) as { result: { url: string } }
  expect(result.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/pay/)
  expect(stripe.checkouts).toContain(ada.orgId)
  const { customer } = stripe.subscribe(ada.orgId)
  expect((await stripe.tell(server.origin, { customer })).status).toBe(200)
  await expect.poll(async () => (await planOf(ada)).name).toBe('pro')
  expect(await quote(ada)).toBe('done')
})

it('rejects events with a wrong signature or an old timestamp', async () => {
  const ada = await owner()
  const { customer } = stripe.subscribe(ada.orgId)
  expect((await stripe.tell(server.origin, { customer, secret: 'whsec_wrong' })).status).toBe(400)
  expect((await stripe.tell(server.origin, { customer, age: 3600 })).status).toBe(400)
  expect(await query(server, 'select id from fw_jobs where input like ?', [`%${customer}%`])).toEqual([])
})

it('processes an event once when it is delivered several times', async () => {
  const ada = await owner()
  const { customer } = stripe.subscribe(ada.orgId)
  const answers = await Promise.all(
    [1, 2, 3].map(() => stripe.tell(server.origin, { customer, id: `evt_of_${customer}` })),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await query(server, 'select id from fw_jobs where input like ?', [`%${customer}%`])).toHaveLength(1)
})

it('applies Stripe’s current state regardless of event order, and retries while Stripe does not respond', async () => {
  const ada = await owner()
  const { customer } = stripe.subscribe(ada.orgId, { status: 'canceled' })
  stripe.isDown = true
  const again = stripe.subscribe(ada.orgId)
  await stripe.tell(server.origin, { customer, type: 'customer.subscription.created' })
  await expect
    .poll(async () =>
      query(server, `select attempts from fw_jobs where input like ? and attempts > 0`, [`%${customer}%`]),
    )
    .toHaveLength(1)
  stripe.isDown = false
  // The end of the first subscription arrives after the start of the second.
  await stripe.tell(server.origin, { customer, type: 'customer.subscription.deleted' })
  await expect.poll(async () => (await planOf(ada)).name, { timeout: 30_000 }).toBe('pro')
  const end = Math.floor(Date.now() / 1000) + 3600
  again.cancel_at = end
  await stripe.tell(server.origin, { customer })
  await expect.poll(async () => (await planOf(ada)).until).toBe(new Date(end * 1000).toISOString())
  again.status = 'canceled'
  await stripe.tell(server.origin, { customer, type: 'customer.subscription.deleted' })
  await expect.poll(async () => (await planOf(ada)).name).toBe('free')
  const rows = await query(server, `select input from audit_log where action = 'set-plan' and org_id = ? order by id`, [
    ada.orgId,
  ])
  expect(rows.map(({ input }) => JSON.parse(String(input)).plan)).toEqual(['pro', 'pro', 'free'])
})

it('lets only operators assign plans', async () => {
  const ada = await owner()
  const operator = await createTeamWorld(server).person({ email: 'op@example.test' })
  const give = ({ browser }: TeamPerson, plan: string) =>
    browser.request(`/_fw/operator/organizations/${ada.orgId}/plan`, { method: 'PUT', json: { plan } })
  expect((await give(ada, 'pro')).status).toBe(404)
  expect((await give(operator, 'gold')).status).toBe(400)
  expect(await (await give(operator, 'pro')).json()).toEqual({ isChanged: true })
  expect((await planOf(ada)).name).toBe('pro')
  const rows = await query(
    server,
    `select user_email from audit_log where action = 'set-plan' and outcome = 'ok' and org_id = ?`,
    [ada.orgId],
  )
  expect(rows).toEqual([{ user_email: 'op@example.test' }])
})
