import { afterEach, describe, expect, it } from 'vitest'
import getBrowserConnection from '#fairway/server/actions/builder/get-browser-connection'
import { openApiDocument, runAction } from '#fairway/server/domains/actions'
import { toolCatalog } from '#fairway/server/domains/mcp'
import type { App } from '#fairway/server/kernel/app-context'
import { defineFwConfig, type FwConfigInput } from '#fairway/server/kernel/config/fw-config'
import { AppError, toProblem } from '#fairway/server/kernel/http/app-error'
import type { OrgRole } from '#fairway/shared/roles'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp } from '../../../../support/app'
import { builderKeys, startBuilder } from '../../../../support/builder'
import { startMcpApplication } from '../../../../fixtures/mcp/application'
import { connectHost } from '../../../../support/mcp'
import { addTo, aMember } from '../../../../support/members'
import { query } from '../../../../support/query'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

const keys = { BUILDER_PRIVATE_KEY: builderKeys.privateKey, BUILDER_PUBLIC_KEY: builderKeys.publicKey }

const forOwners: FwConfigInput = { builder: { roles: ['owner', 'admin'] } }

async function setUp(mode: string, declared = forOwners) {
  const service = await startBuilder(mode)
  const test = await createTestApp({ ...keys, BUILDER_USER_ID: 'user-7', BUILDER_API_HOST: service.origin }, declared)
  open.push(service.stop, test.close)
  return { ...test, service }
}

async function call(app: App, input: object, signal?: AbortSignal, session?: Session): Promise<unknown> {
  return runAction(app, {
    name: 'get-browser-connection',
    action: getBrowserConnection,
    input,
    session: session ?? (await aMember(app)),
    caller: 'http',
    requestId: 'r',
    signal,
  })
}

describe('get-browser-connection', () => {
  it('calls the builder service with the shared credentials and returns the browser URL', async () => {
    const { app, service } = await setUp('good')
    const result = await call(app, { sessionId: 'mine-1' })
    expect(result).toEqual({ wsUrl: 'wss://browser.example.test/devtools/abc', sessionId: 'mine-1' })
    expect(service.requests).toEqual([
      {
        url: '/codegen/get-browser-connection?apiKey=public0123456789&userId=user-7',
        authorization: 'Bearer bpk-very-secret-private',
        body: '{"sessionId":"mine-1"}',
      },
    ])
  })

  it('creates a session id when none is given, and returns the service’s own session id', async () => {
    const { app } = await setUp('good')
    expect(await call(app, {})).toMatchObject({ sessionId: expect.stringMatching(/^[\da-f-]{36}$/) })
    const other = await setUp('own-session')
    expect(await call(other.app, { sessionId: 'mine' })).toEqual({ wsUrl: 'ws://127.0.0.1:9/x', sessionId: 'theirs' })
  })

  it('returns 409 when no builder service is connected', async () => {
    const test = await createTestApp({}, forOwners)
    open.push(test.close)
    await expect(call(test.app, {})).rejects.toMatchObject({ code: 'builder-not-connected', status: 409 })
  })

  it.each([
    ['broken', 'browser-connection-failed'],
    ['not-json', 'browser-connection-failed'],
    ['redirect', 'browser-connection-failed'],
    ['huge', 'browser-connection-failed'],
    ['dropped', 'browser-connection-failed'],
    ['no-ws-url', 'no-ws-url'],
    ['bad-ws-url', 'no-ws-url'],
  ])(
    'returns 502 when the service is %s, with code %s and without keys in errors, logs or audit rows',
    async (mode, code) => {
      const { app, service, lines } = await setUp(mode)
      const error = await call(app, { sessionId: 's' }).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code, status: 502 })
      expect(service.requests).toHaveLength(1)
      app.log.error('as the error handler does', { error: error instanceof AppError ? error.cause : error })
      const problem = error instanceof AppError ? toProblem(error, 'r') : undefined
      const rows = await query(app, 'select * from audit_log')
      expect(rows).toHaveLength(1)
      expect(JSON.stringify([problem, lines(), rows, String(error)])).not.toMatch(/bpk-|public0123/)
    },
  )

  it('stops when the caller disconnects', async () => {
    const { app } = await setUp('silent')
    const gone = new AbortController()
    setTimeout(() => gone.abort(), 100)
    await expect(call(app, {}, gone.signal)).rejects.toMatchObject({ code: 'browser-connection-failed' })
  })

  it('returns invalid-input for a malformed session id without calling the service', async () => {
    const { app, service } = await setUp('good')
    await expect(call(app, { sessionId: 'a/../b' })).rejects.toMatchObject({ code: 'invalid-input' })
    expect(service.requests).toEqual([])
  })
})

/** Adds a person in this role to the organization of a new owner. */
async function colleague(app: App, role: OrgRole): Promise<Session> {
  const owner = await aMember(app)
  const person = await aMember(app)
  await addTo(app, owner, person, role)
  return { ...person, orgId: owner.orgId, orgName: owner.orgName, orgRole: role }
}

describe('get-browser-connection access', () => {
  it.each([
    ['owner', { roles: ['owner', 'admin'] }, true],
    ['admin', { roles: ['owner', 'admin'] }, true],
    ['member', { roles: ['owner', 'admin'] }, false],
    ['owner', {}, false],
    ['member', { roles: ['member'] }, true],
    ['admin', { roles: ['member'] }, false],
  ] as const)('for role %s with builder setting %j is allowed: %s', async (role, builder, isAllowed) => {
    const { app, service } = await setUp('good', { builder: 'roles' in builder ? { roles: [...builder.roles] } : {} })
    const answer = call(app, {}, undefined, await colleague(app, role))
    if (isAllowed) await expect(answer).resolves.toHaveProperty('wsUrl')
    else await expect(answer).rejects.toMatchObject({ code: 'forbidden', status: 403 })
    expect(service.requests).toHaveLength(isAllowed ? 1 : 0)
  })

  it('is allowed for operators by default, whatever their role', async () => {
    const { app } = await setUp('good', {})
    const operator = { ...(await colleague(app, 'member')), isOperator: true as const }
    await expect(call(app, {}, undefined, operator)).resolves.toHaveProperty('wsUrl')
  })

  it('is not allowed for an owner whose email is not confirmed', async () => {
    const { app, service } = await setUp('good')
    const stranger = { ...(await aMember(app)), emailVerified: false }
    expect(stranger.orgRole).toBe('owner')
    await expect(call(app, {}, undefined, stranger)).rejects.toMatchObject({ code: 'forbidden', status: 403 })
    expect(service.requests).toEqual([])
  })

  it('allows only the listed people, with their role and a confirmed email', async () => {
    const builder = { roles: ['member' as const], emails: ['Ada@example.test '] }
    const { app } = await setUp('good', { builder, auth: { requireEmailVerification: true } })
    const ada = { ...(await colleague(app, 'member')), email: 'ada@example.test' }
    await expect(call(app, {}, undefined, ada)).resolves.toHaveProperty('wsUrl')
    for (const other of [
      { ...ada, email: 'bob@example.test' },
      { ...ada, emailVerified: false },
      { ...ada, orgRole: 'owner' as const },
    ])
      await expect(call(app, {}, undefined, other)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('denies accounts without an organization', async () => {
    const { app } = await setUp('good')
    const alone = { ...(await aMember(app)), orgId: null, orgName: null, orgRole: null }
    await expect(call(app, {}, undefined, alone)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it.each([{ roles: [] }, { roles: ['curator'] }, { emails: [] }, { emails: ['ada'] }, { people: [] }])(
    'throws at load for %j',
    builder => {
      expect(() => defineFwConfig({ builder } as FwConfigInput)).toThrow(/builder/)
    },
  )
})

describe('get-browser-connection listings', () => {
  const declared = {
    actions: [{ name: 'get-browser-connection', group: 'builder', action: getBrowserConnection }],
    resources: [],
    prompts: [],
    apps: [],
  }
  async function listsOf(env: Record<string, string>) {
    const application = await startMcpApplication({ declared, env })
    open.push(application.close)
    const { tools } = await (await connectHost(application.origin)).listTools()
    const { paths } = openApiDocument(application.app, declared.actions)
    return {
      tools: tools.map(({ name }) => name),
      paths: Object.keys(paths),
      catalog: toolCatalog(application.app, declared).tools.map(({ name, roles }) => ({ name, roles })),
    }
  }

  it('omit it without a builder service', async () => {
    expect(await listsOf({})).toEqual({ tools: [], paths: [], catalog: [] })
  })

  it('include it as tool, route and catalog entry when a builder service is configured', async () => {
    expect(await listsOf({ ...keys, FW_OPERATORS: 'owner@example.test' })).toEqual({
      tools: ['get-browser-connection'],
      paths: ['/_fw/actions/get-browser-connection'],
      catalog: [{ name: 'get-browser-connection', roles: undefined }],
    })
  })

  it('omit the tool for people who may not call it', async () => {
    expect((await listsOf(keys)).tools).toEqual([])
  })
})

describe('BUILDER_API_HOST', () => {
  it.each(['http://api.example.test', 'https://api.example.test/v1', 'https://user:pw@api.example.test', 'ftp://x'])(
    'rejects %s',
    async host => {
      await expect(createTestApp({ BUILDER_API_HOST: host })).rejects.toThrow(/BUILDER_API_HOST/)
    },
  )
})
