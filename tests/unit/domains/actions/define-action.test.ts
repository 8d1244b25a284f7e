import { describe, expect, it } from 'vitest'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { organizationColumns } from 'nuxt-fairway/tables'
import { z } from 'zod'
import {
  defineAppRoles,
  definePermissions,
  requireAll,
  requireOrganization,
  requireOrgRole,
  requirePermission,
} from '#fw'
import { callersOf, defineAction, definePlatformAction, isAction } from '#fairway/server/domains/actions'
import { createTestApp } from '../../../support/app'

const base = { description: 'Does it.', input: z.object({}), run: () => null }

describe('defineAction', () => {
  it('defaults to private, writing, not destructive, MCP and HTTP enabled, and a 1 MiB body limit', () => {
    expect(defineAction(base)).toMatchObject({
      public: false,
      readOnly: false,
      destructive: false,
      mcp: true,
      http: true,
      maxBodyBytes: 1_048_576,
    })
  })

  it('marks its actions so that isAction recognizes only them', () => {
    expect(isAction(defineAction(base))).toBe(true)
    expect(isAction({ ...base })).toBe(false)
    expect(isAction(null)).toBe(false)
    expect(isAction(Object.create(defineAction(base)))).toBe(false)
  })

  it.each([
    ['description', { description: ' ' }],
    ['description', { description: undefined }],
    ['input', { input: { title: 'string' } }],
    ['input', { input: z.string() }],
    ['output', { output: {} }],
    ['guard', { guard: true }],
    ['run', { run: undefined }],
    ['timeout', { timeout: 0 }],
    ['timeout', { timeout: 601 }],
    ['maxBodyBytes', { maxBodyBytes: 0 }],
    ['readOnly', { readOnly: 'yes' }],
    ['requiresAuth', { requiresAuth: false }],
    ['destructive', { destructive: true, readOnly: true }],
    ['audit', { audit: 'title' }],
    ['callers', { callers: ['forester'] }],
    ['callers', { callers: '' }],
  ])('throws at load and names %s', (option, change) => {
    expect(() => defineAction({ ...base, ...change } as never)).toThrow(option)
  })

  it('has the parameters of its address, and the status with an output or without', () => {
    const input = z.object({ id: z.string(), text: z.string() })
    const at = { ...base, input, method: 'PUT', path: '/api/reports/:id' } as const
    expect(defineAction(at).address).toEqual({
      method: 'PUT',
      path: '/api/reports/:id',
      status: 204,
      parameters: ['id'],
      isSent: true,
    })
    const output = z.object({})
    expect(defineAction({ ...at, output, run: () => ({}) }).address?.status).toBe(200)
    expect(defineAction({ ...at, output, status: 202, run: () => ({}) }).address?.status).toBe(202)
    expect(defineAction(base).address).toBeUndefined()
  })

  const at = { method: 'POST', path: '/api/reports/:id', input: z.object({ id: z.string() }) }
  it.each([
    ['a path alone', { ...at, method: undefined }, 'an address needs both'],
    ['a method alone', { ...at, path: undefined }, 'an address needs both'],
    ['another method', { ...at, method: 'TRACE' }, 'method: '],
    ['a path elsewhere', { ...at, path: '/reports/:id' }, 'path: must begin with /api/'],
    ['a rest in the path', { ...at, path: '/api/**' }, 'path: must begin with /api/'],
    ['a parameter that is no field', { ...at, path: '/api/:name' }, '":name" is no field of its input'],
    ['a parameter twice', { ...at, path: '/api/:id/:id' }, 'or is there twice'],
    ['a change by GET', { ...at, method: 'GET' }, 'only a readOnly action has an address for GET'],
    ['an address without HTTP', { ...at, http: false }, 'is served by HTTP'],
    ['a status without output', { ...at, status: 201 }, 'the status is 204'],
    ['another status', { ...at, status: 404 }, 'status: '],
  ])('throws at load for an address with %s', (_what, change, message) => {
    expect(() => defineAction({ ...base, ...change } as never)).toThrow(message)
  })

  it('takes the parameters of its path from the fields of its input, as types too', () => {
    const input = z.object({ id: z.string() })
    defineAction({ ...base, input, method: 'POST', path: '/api/reports/:id' })
    // @ts-expect-error `name` is no field.
    expect(() => defineAction({ ...base, input, method: 'POST', path: '/api/reports/:name' })).toThrow('":name"')
  })

  it.each([
    ['changes nothing', { readOnly: true, approval: { by: 'admin' } }, 'changes something and is not public'],
    ['is public', { public: true, approval: { by: 'admin' } }, 'changes something and is not public'],
    ['names another approver', { approval: { by: 'owner' } }, 'approval.by'],
  ])('throws at load for an approval of an action that %s', (_what, options, message) => {
    expect(() => defineAction({ ...base, ...options } as never)).toThrow(message)
    expect(defineAction({ ...base, approval: { by: 'admin' } }).approval).toEqual({ by: 'admin' })
  })

  it('throws at load for an audit field missing from the input, and lists the available fields', () => {
    const input = z.object({ title: z.string(), text: z.string() })
    const declare = (audit: string[]) => () => defineAction({ ...base, input, audit } as never)
    expect(declare(['titel'])).toThrow('defineAction: audit: "titel" is no field of its input; one of title, text')
    expect(declare(['title', 'text'])).not.toThrow()
    expect(declare(['toString'])).toThrow('"toString"')
  })

  describe('audit.subject', () => {
    const tables = sqliteTable('tables', { id: text().primaryKey(), ...organizationColumns(), title: text().notNull() })
    const subject = { table: tables, title: tables.title }
    const output = z.object({ table: z.object({ id: z.string() }) })
    const declare = (options: object) => () => defineAction({ ...base, audit: { subject }, ...options } as never)

    it('throws at load for a readOnly action, which writes no row', () => {
      expect(declare({ readOnly: true, input: z.object({ id: z.string() }) })).toThrow(
        'defineAction: audit: subject: an action that is readOnly writes no row that it could name; leave it out',
      )
    })

    it('throws at load when neither input nor output has its id, and lists their fields', () => {
      expect(declare({ output, input: z.object({ title: z.string() }) })).toThrow(
        'audit: subject: neither the input nor the output has "id", so no row is named; set its id to one of title, table',
      )
    })

    it('accepts an id of the input, of the output, or of a result without a schema', () => {
      expect(declare({ output, input: z.object({ id: z.string() }) })).not.toThrow()
      expect(declare({ output, audit: { subject: { ...subject, id: 'table.id' } } })).not.toThrow()
      expect(declare({})).not.toThrow()
    })
  })
})

describe('callersOf', () => {
  const permissions = definePermissions({ 'books:lend': 'Lend books' })
  const roles = defineAppRoles({ appId: 'library', roles: ['keeper', 'reader'] })
  const platform = { isOffered: () => true, description: 'Does it.', input: z.object({}), run: () => null }

  it.each([
    ['anybody', defineAction({ ...base, public: true }), { kind: 'public' }],
    ['whoever is signed in', defineAction(base), { kind: 'signed-in' }],
    ['named roles', defineAction({ ...base, callers: ['owner'] }), { kind: 'org-roles', roles: ['owner'] }],
    [
      'a role in the application',
      defineAction({ ...base, guard: roles.requireAny('keeper') }),
      { kind: 'app-roles', roles: ['keeper'] },
    ],
    [
      'a role in the organization',
      defineAction({ ...base, guard: requireOrgRole('admin') }),
      { kind: 'org-roles', roles: ['owner', 'admin'] },
    ],
    [
      'members with a role in the application',
      defineAction({ ...base, guard: requireAll(requireOrganization(), roles.requireAny('keeper')) }),
      { kind: 'app-roles', roles: ['keeper'] },
    ],
    [
      'roles in both',
      defineAction({ ...base, guard: requireAll(requireOrgRole('admin'), roles.requireAny('keeper')) }),
      { kind: 'both-roles', roles: ['owner', 'admin'], appRoles: ['keeper'] },
    ],
    [
      'holders of a permission',
      defineAction({ ...base, guard: requirePermission('books:lend') }),
      { kind: 'permissions', permissions: [{ name: 'books:lend', text: 'Lend books' }] },
    ],
    [
      'holders of a permission who have roles in both',
      defineAction({
        ...base,
        guard: requireAll(requireOrgRole('admin'), roles.requireAny('keeper'), requirePermission('books:lend')),
      }),
      {
        kind: 'permissions',
        permissions: [{ name: 'books:lend', text: 'Lend books' }],
        roles: ['owner', 'admin'],
        appRoles: ['keeper'],
      },
    ],
    ['whom a guard lets in', defineAction({ ...base, guard: () => true }), { kind: 'guard' }],
    [
      'whom a guard lets in, in words',
      defineAction({ ...base, guard: () => true, callers: 'Whoever keeps the library.' }),
      { kind: 'guard', text: 'Whoever keeps the library.' },
    ],
    [
      'roles that the platform admits',
      definePlatformAction({ ...platform, admits: () => ({ roles: ['owner', 'admin'] }) }),
      { kind: 'org-roles', roles: ['owner', 'admin'] },
    ],
    [
      'people that the settings name',
      definePlatformAction({ ...platform, admits: () => ({ roles: ['owner'], emails: ['ada@example.test'] }) }),
      { kind: 'named', roles: ['owner'] },
    ],
    ['the operators', definePlatformAction({ ...platform, admits: () => ({}) }), { kind: 'operators' }],
  ])('returns the declared callers: %s', async (_name, action, callers) => {
    const { app, close } = await createTestApp({}, { permissions })
    expect(callersOf(action, app.config)).toEqual(callers)
    await close()
  })
})
