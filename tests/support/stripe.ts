import { Stripe } from 'stripe'
import { serve, type WebServer } from './web-server'

const SECRET = 'whsec_of_the_tests'
const stripe = new Stripe('sk_test_of_the_tests')

interface Subscription {
  id: string
  customer: string
  status: string
  metadata: { orgId: string }
  cancel_at: number | null
  items: { data: { price: { id: string } }[] }
}

export interface StripeServer extends WebServer {
  /** The environment variables of an application that uses this server. */
  env: Record<string, string>
  /** The current subscriptions. */
  subscriptions: Subscription[]
  /** The organizations that requested a checkout page. */
  checkouts: string[]
  /** Whether API requests currently fail. */
  isDown: boolean
  subscribe(orgId: string, change?: Partial<Subscription>): Subscription
  /** Sends an application an event, signed by Stripe's own library; returns the response. */
  tell(application: string, event: Told): Promise<Response>
}

interface Told {
  customer: string
  /** The id of an earlier event to send again. */
  id?: string
  type?: string
  secret?: string
  /** Seconds since the signature. */
  age?: number
}

let events = 0

/** A server with the part of Stripe's API that an application needs to sell plans. */
export async function startStripe(): Promise<StripeServer> {
  const state = { subscriptions: [] as Subscription[], checkouts: [] as string[], isDown: false }
  const server = await serve(async request => {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/pay') return page(searchParams.get('back') ?? '')
    if (state.isDown) return Response.json({ error: { type: 'api_error', message: 'down' } }, { status: 503 })
    if (pathname === '/v1/checkout/sessions') {
      const form = new URLSearchParams(await request.text())
      state.checkouts.push(form.get('subscription_data[metadata][orgId]') ?? '')
      const url = `${server.origin}/pay?back=${encodeURIComponent(form.get('success_url') ?? '')}`
      return Response.json({ id: 'cs_1', object: 'checkout.session', url })
    }
    const data = state.subscriptions.filter(({ customer }) => customer === searchParams.get('customer'))
    return Response.json({ object: 'list', data, has_more: false, url: '/v1/subscriptions' })
  })
  return Object.assign(state, server, {
    env: {
      STRIPE_API: server.origin,
      STRIPE_SECRET_KEY: 'sk_test_of_the_tests',
      STRIPE_WEBHOOK_SECRET: SECRET,
      STRIPE_PRICE_PRO: 'price_pro',
    },
    subscribe(orgId: string, change: Partial<Subscription> = {}) {
      const id = `sub_${state.subscriptions.length + 1}`
      const customer = change.customer ?? `cus_${orgId}`
      const price = { data: [{ price: { id: 'price_pro' } }] }
      const made = { id, status: 'active', metadata: { orgId }, cancel_at: null, items: price, ...change, customer }
      state.subscriptions.push(made)
      return made
    },
    async tell(application: string, { customer, id = `evt_${++events}`, type, secret = SECRET, age = 0 }: Told) {
      const object = { id: 'sub_told', object: 'subscription', customer }
      const told = { id, object: 'event', type: type ?? 'customer.subscription.updated', data: { object } }
      const payload = JSON.stringify(told)
      const timestamp = Math.floor(Date.now() / 1000) - age
      const signature = await stripe.webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp })
      return fetch(`${application}/api/hooks/stripe`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'stripe-signature': signature },
        body: payload,
      })
    },
  })
}

const page = (back: string) =>
  new Response(`<!doctype html><title>Pay</title><h1>Pay for your plan</h1><a href="${encodeURI(back)}">Done</a>`, {
    headers: { 'content-type': 'text/html' },
  })
