// Test servers record each statement that a request runs. `stop` fails on one that scans a whole table
// (tests/support/query-plans.ts). This test requests every GET address with each of its parameters.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sessionOf, type TestBrowser } from '../support/http'
import { readOpenApi } from '../support/openapi'
import { query } from '../support/query'
import { readStatements, scansOf } from '../support/query-plans'
import { type OwnServer, startServer } from '../support/server'
import { createTeamWorld } from '../support/team'

const EMAIL = 'operator@example.test'
const parameterSchema = z.object({
  name: z.string(),
  in: z.string(),
  schema: z.looseObject({ type: z.unknown(), enum: z.array(z.unknown()).optional(), format: z.string().optional() }),
})
type Parameter = z.output<typeof parameterSchema>

let server: OwnServer
let browser: TestBrowser
let ids: Record<string, string>
beforeAll(async () => {
  server = await startServer({ env: { FW_OPERATORS: EMAIL } })
  const { browser: own, userId } = await createTeamWorld(server).person({ email: EMAIL })
  browser = own
  const { orgId } = await sessionOf(browser)
  const webhook = { url: 'https://example.com/hook', types: ['audit.create-note'] }
  const { id } = await (await browser.post('/_fw/webhooks', { json: webhook })).json()
  ids = { userId, personId: userId, orgId: String(orgId), id: String(id) }
})
afterAll(() => server.stop())

/** A value that a parameter's schema accepts. */
function valueOf({ name, schema }: Parameter): string {
  if (name === 'subject') return 'notes/1'
  if (schema.enum) return String(schema.enum.find(value => value !== null))
  if (schema.format === 'date-time') return new Date(0).toISOString()
  if (schema.format === 'uuid') return randomUUID()
  if (schema.type === 'boolean') return 'true'
  return schema.type === 'integer' || schema.type === 'number' ? '2' : 'a'
}

describe('query plans', () => {
  it('scan no whole table for any GET address with each of its parameters', async () => {
    const openApi = await readOpenApi(server.origin)
    for (const path of openApi.paths) {
      const described = Object(openApi.described(path, 'GET'))
      if (!described.responses) continue
      const parameters = z.array(parameterSchema).parse(described.parameters ?? [])
      const at = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? 'none')
      const asked = parameters.filter(each => each.in === 'query')
      for (const search of ['', ...asked.map(each => `?${new URLSearchParams({ [each.name]: valueOf(each) })}`)]) {
        const answer = await browser.get(at + search)
        await answer.body?.cancel()
        expect(answer.status, at + search).toBeLessThan(500)
      }
    }
    const statements = readStatements(server.dataDir)
    // Without enough statements the test would check nothing.
    expect(
      statements.filter(({ sql }) => /from "?(audit_log|notes|org_members|users)\b/.test(sql)).length,
    ).toBeGreaterThan(20)
    expect(await scansOf(statements)).toEqual([])
  })

  it('scan no whole table for any trigger', async () => {
    const triggers = await query(server, `select name, sql from sqlite_master where type = 'trigger'`)
    expect(triggers.length).toBeGreaterThan(10)
    const statements = triggers.flatMap(({ name, sql }) => {
      const [, body = ''] = /\bbegin\b([^]*)\bend\b/i.exec(String(sql)) ?? []
      const bare = body.replaceAll(/--.*$/gm, '').replaceAll(/\b(?:new|old)\.(?:\w+|`\w+`|"[^"]+")/gi, '?')
      const each = bare.split(';').map(text => text.trim())
      return each
        .filter(text => text && !/\braise\s*\(/i.test(text))
        .map(text => ({ request: String(name), sql: text }))
    })
    expect(await scansOf(statements)).toEqual([])
  })

  it('report a statement that scans a whole table, with its request', async () => {
    const scans = await scansOf([
      { request: 'GET /a', sql: 'select 1 from users u where u.name = ?' },
      { request: 'GET /b', sql: 'select 1 from users where email = ?' },
      { request: 'GET /c', sql: 'select id from audit_log order by rowid desc limit 1' },
      { request: 'GET /d', sql: 'select name from feature_flags' },
    ])
    expect(scans).toEqual(['GET /a\n  SCAN u\n  select 1 from users u where u.name = ?'])
  })
})
