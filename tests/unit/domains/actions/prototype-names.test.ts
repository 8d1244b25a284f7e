// Names of `Object.prototype`, sent wherever a caller names something.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalog as collections } from '#fw/collections'
import { catalog as actions } from '#fw/actions'
import { operations } from '#fw/operations'
import { z } from 'zod'
import { entitled, setPlan, showPlan } from '#fairway/server/domains/plans'
import { withRun } from '#fairway/server/kernel/current-run'
import type { Session } from '#fairway/shared/schemas/session'
import { createEdge, type Edge } from '#fairway/testing/edge'
import { createTestApp, type TestApp } from '../../../support/app'
import { refusalOf } from '../../../support/error-code'
import { aMember, signInAs } from '../../../support/members'
import { query } from '../../../support/query'

const NAMES = ['__proto__', 'constructor', 'toString']
const plans = {
  limits: { seats: { counts: 'org_members', title: 'Members' } },
  features: { export: 'Export' },
  plans: { free: { title: 'Free' }, pro: { title: 'Pro', features: ['export'] } },
  default: 'free',
}

let test: TestApp
let edge: Edge
let person: Session
beforeAll(async () => {
  test = await createTestApp({ FW_OPERATORS: 'operator@example.test', FW_RATE_LIMITS: 'off' }, { plans })
  edge = createEdge(test.app)
  person = await aMember(test.app, { email: 'operator@example.test' })
})
afterAll(async () => {
  await edge.close()
  await test.close()
})

/** The status of a call in a new session, because some operations end theirs. */
async function call(method: string, path: string, body?: object): Promise<number> {
  const cookie = (await signInAs(test.app, person)).split(';', 1)[0] ?? ''
  const headers = { cookie, origin: test.app.config.baseUrl, 'content-type': 'application/json' }
  const answer = await edge.fetch(path, { method, headers, body: body && JSON.stringify(body) })
  await answer.body?.cancel()
  return answer.status
}

interface Property {
  type?: string
  enum?: unknown[]
}

/** A value for a field of an input: the name wherever a text is possible. */
function valueFor({ type, enum: allowed }: Property, name: string): unknown {
  if (allowed) return allowed[0]
  if (type === 'array') return [name]
  if (type === 'object') return JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(name)}}`)
  return type === 'boolean' || type === undefined ? true : type === 'string' ? name : 1
}

/** An input with the required fields, and one with all. */
function inputsOf(schema: z.ZodType | undefined, name: string): object[] {
  const known = schema ? z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) : {}
  const { properties = {}, required = [] } = known as { properties?: Record<string, Property>; required?: string[] }
  const pick = (fields: string[]) =>
    Object.fromEntries(fields.map(field => [field, valueFor(properties[field] ?? {}, name)]))
  return [pick(required), pick(Object.keys(properties))]
}

describe.each(NAMES)('the name %s', name => {
  it('is refused or unknown in every operation', async () => {
    const failed: string[] = []
    for (const { method, path, load } of operations) {
      const at = path.replaceAll(/:\w+/g, name)
      for (const input of inputsOf((await load()).input, name)) {
        const question = new URLSearchParams(
          Object.entries(input).map(([field, value]) => [
            field,
            typeof value === 'string' ? value : JSON.stringify(value),
          ]),
        )
        const status = method === 'GET' ? await call(method, `${at}?${question}`) : await call(method, at, input)
        if (status >= 500) failed.push(`${method} ${at} ${JSON.stringify(input)}: ${status}`)
      }
    }
    expect(failed).toEqual([])
  })

  it('is refused or unknown as an action, a collection, a file, a provider and a parameter', async () => {
    const [collection] = collections
    const paths = [
      `/_fw/actions/${name}`,
      `/${name}`,
      `/_fw/files/${name}`,
      `/_fw/files/${name}/${name}/${name}`,
      `/_fw/auth/callback/${name}`,
      `/_fw/auth/${name}`,
      `/_fw/connections/${name}`,
      `/${collection?.name}?${name}=1&order[${name}]=asc&title[${name}]=1&page=${name}&lang=${name}`,
      `/${collection?.name}/${name}`,
      `/${collection?.name}/export/${name}`,
      `/_fw/changes/${name}`,
      `/sign-in?lang=${name}&step=${name}&return=${name}&code=${name}`,
    ]
    for (const path of paths) expect([path, await call('GET', path)]).toEqual([path, expect.toSatisfy(below500)])
    for (const { name: action } of actions)
      expect(await call('POST', `/_fw/actions/${action}`, JSON.parse(`{"${name}":"x","id":"${name}"}`))).toSatisfy(
        below500,
      )
  })

  it('is no plan, and a stored one counts as the default plan', async () => {
    const orgId = person.orgId ?? ''
    const inRun = <T>(work: () => T) => withRun({ app: test.app, session: person }, work)
    expect(await refusalOf(inRun(() => setPlan(test.app.db.orm, orgId, name)))).toBe('invalid-input')
    await query(
      test.app,
      'insert or replace into fw_organization_plans (org_id, plan, is_trial, changed_at) values (?, ?, 0, 0)',
      [orgId, name],
    )
    expect(await inRun(() => showPlan(test.app, orgId))).toMatchObject({ name: 'free' })
    const guarded = inRun(() => entitled(name)({ session: person, orgId }))
    await expect(guarded).rejects.toThrow('no limit and no feature')
  })
})

const below500 = (status: number): boolean => status < 500
