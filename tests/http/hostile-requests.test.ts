import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attack, hostileRequests, routePaths } from '../support/hostile'
import { createBrowser, signUp } from '../support/http'
import { confirmAddress } from '../support/query'
import { STATIC_TOKEN } from '../support/secrets'
import { type OwnServer, startServer } from '../support/server'

const owner = { email: 'owner@example.test', password: 'quiet harbour lantern 42', name: 'Owner' }
/** The open files of a listener, the database and the log vary by a few. */
const MOST_MORE_DESCRIPTORS = 8

let server: OwnServer
let paths: string[]

beforeAll(async () => {
  const env = { ACCESS_TOKEN: STATIC_TOKEN, FW_OWNER_EMAIL: owner.email, AUTH_SKIP_EMAIL_VERIFICATION: '1' }
  server = await startServer({ env })
  const browser = createBrowser(server.origin)
  await signUp(browser, owner)
  await confirmAddress(server, owner.email)
  const { paths: described } = await (await browser.get('/_fw/openapi.json')).json()
  const routes = routePaths(fileURLToPath(new URL('../../layers/fairway/server/routes', import.meta.url)))
  const templates = Object.keys(described).map(path => path.replace(/\{[^}]+\}/g, ':x'))
  paths = [...new Set(['/', '/notes', '/favicon.ico', ...templates, ...routes])].toSorted()
})
afterAll(() => server.kill())

const descriptors = () => readdirSync(`/proc/${server.pid}/fd`).length

// `node bench/hostile.mjs` sends 10,000 requests from 20 seeds, and `--only` repeats one by its name.
it('answers 500 hostile requests without a failure', async () => {
  const before = descriptors()
  const { faults, statuses } = await attack(server.origin, hostileRequests(1, 500, paths), STATIC_TOKEN)
  expect(faults).toEqual([])
  // Nearly all requests are valid enough to get a response, and many pass the first checks.
  expect(statuses[0] ?? 0).toBeLessThan(25)
  expect((statuses[200] ?? 0) + (statuses[201] ?? 0)).toBeGreaterThan(40)
  expect((await fetch(`${server.origin}/_fw/health/ready`)).status).toBe(200)
  await expect.poll(descriptors).toBeLessThanOrEqual(before + MOST_MORE_DESCRIPTORS)
  expect(server.log()).not.toContain('request failed')
})
