import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { planJob } from '#fairway/cli/generate/job'
import { planMail } from '#fairway/cli/generate/mail'
import { planAction, planCollection, planPage, planProvider } from '#fairway/cli/generate/pieces'
import type { GeneratePlan } from '#fairway/cli/generate/plan'
import { planRoles, withRoles } from '#fairway/cli/generate/roles'
import { writeChanges } from '#fairway/cli/project/changes'
import { UsageFault } from '#fairway/cli/terminal'
import { writeFiles } from '../../../support/files'
import { startFw } from '../../../support/fw'

const root = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '')

let app: string
const write = (path: string, text: string) => writeFiles(app, { [path]: text })
const read = (path: string) => readFileSync(join(app, path), 'utf8')

beforeEach(() => {
  app = mkdtempSync(join(tmpdir(), 'fw-pieces-'))
  write('package.json', '{ "name": "tracker" }')
  write('nuxt.config.ts', 'export default {}')
  symlinkSync(join(root, 'node_modules'), join(app, 'node_modules'))
})

describe('fw generate job', () => {
  const job = (name: string, fields: readonly string[] = [], schedule?: string) =>
    planJob(app, { name, fields, schedule, force: false })

  it('writes a job with its input or its schedule', () => {
    const [queued] = job('send-report', ['day:date', 'price:money(EUR)?']).changes
    expect(queued).toMatchObject({ path: 'server/jobs/send-report.ts' })
    expect(queued?.after).toContain(`  input: z.object({\n    day: z.iso.date(),`)
    const [scheduled] = job('tidy', [], '0 3 * * *').changes
    expect(scheduled?.after).toContain(`  schedule: '0 3 * * *',`)
  })

  it.each([
    ['tidy', [], 'every day', '--schedule'],
    ['tidy', ['day:date'], '0 3 * * *', 'Make it optional: day:date?'],
    ['tidy', ['at:datetime'], undefined, 'as JSON'],
    ['Tidy', [], undefined, 'small letter'],
  ])('refuses %s %j %s', (name, fields, schedule, reason) => {
    expect(() => job(name, fields, schedule)).toThrow(reason)
  })
})

describe('fw generate mail', () => {
  const mail = (name: string, fields: readonly string[] = [], topic?: string) =>
    planMail(app, { name, fields, topic, force: false })

  it('writes the mail data with an example, and a text in each language', () => {
    write('app/locales/de/mails.json', '{ "mails": { "other": { "subject": "Anderes" } } }')
    const { changes, kept } = mail('morning-deals', ['name:text', 'price:money(EUR)', 'stage:enum(open,won)'], 'digest')
    expect(kept).toEqual([])
    expect(changes.map(({ path }) => path)).toEqual([
      'server/mails/morning-deals.tsx',
      'app/locales/en/mails.json',
      'app/locales/de/mails.json',
    ])
    expect(changes[0]?.after).toContain(`  example: { name: 'Name', price: 4000, stage: 'open' },`)
    expect(JSON.parse(changes[2]?.after ?? '')).toEqual({
      mails: {
        other: { subject: 'Anderes' },
        'morning-deals': { subject: 'Morning deals', lines: ['Morning deals.'], action: 'Öffnen' },
      },
      mailTopics: { names: { digest: 'Digest' } },
    })
  })

  it('refuses file fields because files belong to rows', () => {
    expect(() => mail('hello', ['contract:file'])).toThrow('files belong to rows')
  })

  it('keeps existing texts, and with --force those of other mails', () => {
    const own = '{ "mails": { "other": { "subject": "Anderes" }, "hello": { "subject": "Mine" } } }'
    write('app/locales/en/mails.json', own)
    expect(JSON.parse(mail('hello').changes.at(-1)?.after ?? own)).toMatchObject(JSON.parse(own))
    const forced = planMail(app, { name: 'hello', fields: [], force: true }).changes.at(-1)?.after ?? ''
    expect(JSON.parse(forced).mails).toMatchObject({ other: { subject: 'Anderes' }, hello: { subject: 'Hello' } })
  })
})

describe('fw generate action', () => {
  it('writes an action with its input fields', () => {
    const fields = ['before:date', 'note:text?']
    const { changes } = planAction(app, { name: 'closeIssues', fields, isOrg: true, force: false })
    expect(changes).toMatchObject([{ path: 'server/actions/close-issues.ts' }])
    expect(changes[0]?.after).toContain('guard: requireOrganization(),')
    expect(changes[0]?.after).toContain(
      '    before: z.iso.date(),\n    note: z.string().trim().max(200).nullable().optional(),',
    )
  })

  it('refuses the name of an existing action, including platform actions', () => {
    const plan = () => planAction(app, { name: 'invite-member', fields: [], isOrg: false, force: false })
    expect(plan).toThrow('There is an action invite-member already')
  })
})

describe('fw generate collection', () => {
  const table = (columns: string) => `import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ownableColumns } from 'nuxt-fairway/tables'
export const books = sqliteTable('books', { id: text('id').primaryKey(), ${columns} })
`

  it('derives the collection from the columns of a table', async () => {
    write(
      'server/database/books.ts',
      table(
        `...ownableColumns(), title: text('title').notNull(), pages: integer('pages'), kind: text('kind', { enum: ['a', 'b'] })`,
      ),
    )
    const { changes, remarks } = await planCollection(app, { name: 'book-list', table: 'books', force: false })
    const text = changes[0]?.after
    expect(text).toContain(`item: outputOf(books, { omit: ['orgId'] })`)
    expect(text).toContain(`filters: { ownerEmail: 'exact', title: 'search', pages: 'range', kind: 'exact' }`)
    expect(text).toContain(`order: ['title', 'pages', 'kind']`)
    expect([text?.includes('scope'), remarks]).toEqual([false, []])
  })

  it('writes an explicit scope and explains it when the table has no owner columns', async () => {
    write('server/database/books.ts', table(`title: text('title').notNull()`))
    const { changes, remarks } = await planCollection(app, { name: 'book-list', table: 'books', force: false })
    expect(changes[0]?.after).toContain(`scope: 'everybody'`)
    expect(remarks).toEqual([expect.stringContaining('everybody who is signed in')])
  })

  it('refuses a missing table and a name whose path is already a page', async () => {
    write('server/database/books.ts', table(`title: text('title').notNull()`))
    write('app/pages/books.vue', '')
    const plan = (name: string, of: string) => planCollection(app, { name, table: of, force: false })
    await expect(plan('book-list', 'films')).rejects.toThrow('There are: books')
    await expect(plan('books', 'books')).rejects.toThrow('Name the collection books-list')
  })
})

describe('fw generate page', () => {
  it('writes a page with its navigation entry, and its texts in each language', () => {
    write('app/locales/de.json', '{}')
    const { changes, remarks } = planPage(app, { path: '/reports/yearly', force: false })
    expect(remarks).toEqual(['Translate in app/locales/de/reports-yearly.json: Yearly.'])
    expect(changes.map(({ path }) => path)).toEqual([
      'app/pages/reports/yearly.vue',
      'app/locales/en/reports-yearly.json',
      'app/locales/de/reports-yearly.json',
    ])
    expect(changes[0]?.after).toContain(`text: 'reportsYearly.name'`)
  })

  it.each(['Foo', '../up', 'a b', ''])('refuses the path %j', path => {
    expect(() => planPage(app, { path, force: false })).toThrow('is no path of a page')
  })
})

describe('fw generate provider', () => {
  const endpoints = { authorize: 'https://tracker.example/authorize', token: 'https://tracker.example/token' }

  it('writes the provider and explains where its client is configured', () => {
    const plan = planProvider(app, { name: 'tracker', scopes: ['read'], force: false, ...endpoints })
    expect(plan.changes[0]).toMatchObject({ path: 'server/providers/tracker.ts' })
    expect(plan.changes[0]?.after).toContain(`scopes: ['read'],`)
    expect(plan.next.join()).toContain('FW_PROVIDER_CLIENTS')
  })

  it('refuses a provider without a token address', () => {
    const plan = () => planProvider(app, { name: 'tracker', scopes: [], force: false, ...endpoints, token: undefined })
    expect(plan).toThrow('--token is missing')
  })
})

describe('fw generate role', () => {
  const plain = `import { defineFwConfig } from '#fw'

// mine
export default defineFwConfig({
  brand: { name: 'Tracker' }, // and this
})
`

  it('declares the first roles and keeps the rest of the file', () => {
    expect(withRoles(plain, ['curator', 'reader'], 'tracker'))
      .toBe(`import { defineAppRoles, defineFwConfig } from '#fw'

// mine
export const appRoles = defineAppRoles({ appId: 'tracker', roles: ['curator', 'reader'], defaultRole: 'reader' })

export default defineFwConfig({
  brand: { name: 'Tracker' }, // and this
  appRoles,
})
`)
  })

  it('adds each new role once to the existing roles', () => {
    const one = withRoles(plain, ['curator', 'reader'], 'tracker')
    expect(withRoles(one, ['reader', 'curator'], 'tracker')).toBe(one)
    expect(withRoles(one, ['reader', 'judge'], 'tracker')).toContain(`roles: ['curator', 'reader', 'judge']`)
  })

  it('adds roles to a one-line configuration, including an empty one', () => {
    const config = (inside: string) =>
      `import { defineFwConfig } from '#fw'\nexport default defineFwConfig(${inside})\n`
    expect(withRoles(config('{}'), ['reader'], 'tracker')).toContain('defineFwConfig({ appRoles })')
    expect(withRoles(config(`{ name: 'A' }`), ['reader'], 'tracker')).toContain(
      `defineFwConfig({ name: 'A', appRoles })`,
    )
  })

  it('refuses computed lists of roles', () => {
    const computed = `import { defineAppRoles } from '#fw'\nexport const appRoles = defineAppRoles({ appId: 'a', roles: [...more] })\n`
    const listed = `import { defineAppRoles } from '#fw'\nexport const appRoles = defineAppRoles({ appId: 'a', roles })\n`
    expect(() => withRoles(listed, ['reader'], 'a')).toThrow(UsageFault)
    expect(() => withRoles(computed, ['reader'], 'a')).toThrow(UsageFault)
  })
})

describe('a second run', () => {
  const force = false
  const table = `import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const books = sqliteTable('books', { id: text('id').primaryKey(), order: text('order').notNull() })
`
  const generators: Record<string, () => GeneratePlan | Promise<GeneratePlan>> = {
    action: () =>
      planAction(app, { name: 'close-issues', fields: ['before:date', 'kind:enum(a,b)?'], isOrg: true, force }),
    job: () => planJob(app, { name: 'tidy', fields: ['note:text?'], schedule: '0 3 * * *', force }),
    mail: () => planMail(app, { name: 'hello', fields: ['name:text'], topic: 'digest', force }),
    'another mail': () => planMail(app, { name: 'goodbye', fields: [], topic: 'news', force }),
    collection: () => planCollection(app, { name: 'book-list', table: 'books', force }),
    page: () => planPage(app, { path: 'reports/yearly', force }),
    'page of a row': () => planPage(app, { path: 'reports/[id]', force }),
    role: () => planRoles(app, { names: ['curator', 'reader'] }),
    'another role': () => planRoles(app, { names: ['judge'] }),
    provider: () => {
      const [authorize, token] = ['https://tracker.example/authorize', 'https://tracker.example/token']
      return planProvider(app, { name: 'tracker', scopes: ['read'], authorize, token, force })
    },
  }

  it('of every generator changes nothing', async () => {
    write('app/locales/de.json', '{}')
    write('server/database/books.ts', table)
    for (const [name, plan] of Object.entries(generators)) {
      const { changes } = await plan()
      expect(changes, name).not.toEqual([])
      writeChanges(app, changes)
    }
    expect(read('server/collections/book-list.ts')).toContain(`filters: {},`)
    for (const [name, plan] of Object.entries(generators))
      expect(await plan(), name).toMatchObject({ changes: [], kept: [] })
  })

  it('keeps the texts that the author has edited', () => {
    const plan = () => planPage(app, { path: 'reports', force })
    writeChanges(app, plan().changes)
    write('app/locales/en/reports.json', '{ "reports": { "name": "Figures", "lead": "Ours." } }')
    expect(plan()).toMatchObject({ changes: [], kept: [] })
  })
})

describe('fw generate', () => {
  const fw = (...args: string[]) => startFw(['generate', ...args], {}, app).ended

  it('writes into the application when started in one of its subfolders', async () => {
    mkdirSync(join(app, 'server'))
    const { code, out } = await startFw(['generate', 'page', 'reports'], {}, join(app, 'server')).ended
    expect([code, out]).toEqual([0, expect.stringContaining('new      app/pages/reports.vue')])
    expect(out).toContain('Next:\n  open /reports')
  })

  it('shows all changes and writes nothing with --dry-run', async () => {
    const { code, out } = await fw('page', 'reports', '--dry-run')
    expect([code, out]).toEqual([0, expect.stringContaining('+++ app/pages/reports.vue')])
    expect(existsSync(join(app, 'app'))).toBe(false)
  })

  it('shows the changes to a file that the author edited, keeps the file and exits with 1', async () => {
    write('app/pages/reports.vue', '<template>mine</template>\n')
    const { code, out } = await fw('page', 'reports')
    expect([code, out]).toEqual([1, expect.stringContaining('-<template>mine</template>')])
    expect(out).toContain('`--force`')
    expect(read('app/pages/reports.vue')).toBe('<template>mine</template>\n')
  })

  it('explains an invalid field in a sentence and exits with 2', async () => {
    const { code, err } = await fw('resource', 'issue', 'title:string')
    expect([code, err]).toEqual([2, expect.stringContaining('There is no type string')])
  })

  it('reports nothing to change when the files already exist', async () => {
    const { changes } = planPage(app, { path: 'reports', force: false })
    writeChanges(app, changes)
    expect((await fw('page', 'reports')).both).toBe('Nothing to change: everything is there already.\n')
  })
})
