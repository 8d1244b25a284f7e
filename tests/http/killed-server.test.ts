import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { query } from '../support/query'
import { databaseOf, type OwnServer, startServer } from '../support/server'
import { createTeamWorld } from '../support/team'
import { startWriters } from '../support/writers'

it('keeps every acknowledged row and the session when it is killed under load three times', async () => {
  const first = await startServer()
  const { browser } = await createTeamWorld(first).person()
  const env = { PORT: new URL(first.origin).port, BETTER_AUTH_SECRET: first.secret }
  const acknowledged: string[] = []
  let server: OwnServer = first
  for (let round = 1; round <= 3; round += 1) {
    const writers = startWriters(browser, 8, 200)
    await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(60)
    await server.kill()
    await writers.stop()
    acknowledged.push(...writers.acknowledged)
    server = await startServer({ database: databaseOf(first), env })
  }
  const stored = new Set((await query(first, 'select id from notes')).map(row => row.id))
  expect(acknowledged.filter(id => !stored.has(id))).toEqual([])
  expect(acknowledged.length).toBeGreaterThan(180)
  expect((await query(first, 'pragma integrity_check')).map(row => row[0])).toEqual(['ok'])
  expect((await browser.get('/_fw/actions/list-notes')).status).toBe(200)
  await server.stop()
})

it('starts eight times concurrently on one empty database and runs each migration once', async () => {
  const database = `file:${join(mkdtempSync(join(tmpdir(), 'fw-test-')), 'eight.db')}`
  const servers = await Promise.all(Array.from({ length: 8 }, () => startServer({ database })))
  const statuses = await Promise.all(
    servers.map(async ({ origin }) => (await fetch(`${origin}/_fw/health/ready`)).status),
  )
  expect(statuses).toEqual(Array.from({ length: 8 }, () => 200))
  const applied = servers.map(server => (server.log().match(/"message":"migrations applied"/g) ?? []).length)
  expect(applied.reduce((all, one) => all + one)).toBe(2)
  await Promise.all(servers.map(server => server.stop()))
})
