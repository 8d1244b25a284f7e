import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE_HOME } from '../../scripts/sample.mjs'
import { writeFiles } from '../support/files'

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const config = join(root, '.dependency-cruiser.cjs')
const folder = mkdtempSync(join(tmpdir(), 'fw-layers-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Case = [rule: string, folder: string, code: string, others: string[]]
const HOUSE = 'layers/fairway'
const DESKTOP = 'packages/desktop/src'

/** A forbidden import per rule inside the platform: the importing file's folder, the import, and the files that must exist. */
const inHouse: Case[] = [
  ['no-cycles', 'server/kernel', `import './loop'`, ['server/kernel/loop.ts=import "./case-0"']],
  ['edges-are-leaves', 'server', `import './routes/x.get'`, ['server/routes/x.get.ts']],
  ['edges-are-leaves', 'server', `import './mounted/x'`, ['server/mounted/x.ts']],
  ['edges-are-leaves', 'server', `import './actions/x'`, ['server/actions/x.ts']],
  [
    'edges-are-leaves',
    'server/domains/webhooks',
    `import './operations'`,
    ['server/domains/webhooks/operations.ts=import "h3"'],
  ],
  ['failures-are-answered-once', 'server', `import './error-handler'`, ['server/error-handler.ts']],
  ['tests-mount-the-platform', 'modules', `import '../testing/b'`, ['testing/b.ts']],
  ['platform-above-domains', 'server/actions', `import 'h3'`, []],
  ['platform-above-domains', 'server/collections', `import '../compose'`, ['server/compose.ts']],
  ['app-not-server', 'app', `import { x } from '../server/fw'\nexport const y = x`, []],
  ['shared-is-pure', 'shared', `import 'vue'`, []],
  ['shared-is-pure', 'shared', `import '../app/b'`, ['app/b.ts']],
  ['desktop-by-its-name', 'server/domains/sessions', `import 'playwright-core'`, []],
  ['kernel-below-domains', 'server/kernel', `import '../domains/pages/index'`, ['server/domains/pages/index.ts']],
  ['domains-below-facade', 'server/domains/pages', `import '../../fw'`, []],
  ['domains-below-facade', 'server/domains/pages', `import '../../actions/b'`, ['server/actions/b.ts']],
  [
    'domains-through-index',
    'server/domains/sessions',
    `import '../people/tables'`,
    ['server/domains/people/tables.ts'],
  ],
  [
    'tables-refer-to-tables',
    'server/domains/sign-in/tables.ts',
    `import '../people/index'`,
    ['server/domains/people/index.ts'],
  ],
  ['arrows-of-people', 'server/domains/people', `import '../sessions/index'`, ['server/domains/sessions/index.ts']],
  [
    'arrows-of-organizations',
    'server/domains/organizations',
    `import '../sessions/index'`,
    ['server/domains/sessions/index.ts'],
  ],
  ['arrows-of-jobs', 'server/domains/jobs', `import '../sessions/index'`, ['server/domains/sessions/index.ts']],
  [
    'arrows-of-directory',
    'server/domains/directory',
    `import '../sessions/index'`,
    ['server/domains/sessions/index.ts'],
  ],
  ['arrows-of-setup', 'server/domains/setup', `import '../sessions/index'`, ['server/domains/sessions/index.ts']],
  ['arrows-of-mails', 'server/domains/mails', `import '../sessions/index'`, ['server/domains/sessions/index.ts']],
  ['arrows-of-inbox', 'server/domains/inbox', `import '../sessions/index'`, ['server/domains/sessions/index.ts']],
  ['arrows-of-sessions', 'server/domains/sessions', `import '../actions/index'`, ['server/domains/actions/index.ts']],
  ['arrows-of-peers', 'server/domains/peers', `import '../sessions/index'`, ['server/domains/sessions/index.ts']],
  ['arrows-of-pages', 'server/domains/pages', `import '../actions/index'`, ['server/domains/actions/index.ts']],
  [
    'arrows-of-oauth-client',
    'server/domains/oauth-client',
    `import '../sessions/index'`,
    ['server/domains/sessions/index.ts'],
  ],
  ['arrows-of-sign-in', 'server/domains/sign-in', `import '../actions/index'`, ['server/domains/actions/index.ts']],
  ['arrows-of-oauth-server', 'server/domains/oauth-server', `import '../mcp/index'`, ['server/domains/mcp/index.ts']],
  ['arrows-of-actions', 'server/domains/actions', `import '../sign-in/index'`, ['server/domains/sign-in/index.ts']],
  ['arrows-of-files', 'server/domains/files', `import '../sessions/index'`, ['server/domains/sessions/index.ts']],
  ['arrows-of-collections', 'server/domains/collections', `import '../mcp/index'`, ['server/domains/mcp/index.ts']],
  ['arrows-of-changes', 'server/domains/changes', `import '../mcp/index'`, ['server/domains/mcp/index.ts']],
  ['arrows-of-operator', 'server/domains/operator', `import '../people/index'`, ['server/domains/people/index.ts']],
  ['arrows-of-agents', 'server/domains/agents', `import '../mcp/index'`, ['server/domains/mcp/index.ts']],
  ['arrows-of-plans', 'server/domains/plans', `import '../mcp/index'`, ['server/domains/mcp/index.ts']],
  ['arrows-of-webhooks', 'server/domains/webhooks', `import '../mcp/index'`, ['server/domains/mcp/index.ts']],
  ['arrows-of-mcp', 'server/domains/mcp', `import '../sign-in/index'`, ['server/domains/sign-in/index.ts']],
  ['crypto-importer', 'server/domains/pages', `import 'node:crypto'`, []],
  ['importer-of-file-type', 'server/domains/sessions', `import 'file-type'`, []],
  ['importer-of-s-mini', 'server/domains/sessions', `import 's3mini'`, []],
  ['importer-of-node-rs-bcrypt', 'server/domains/people', `import '@node-rs/bcrypt'`, []],
  ['importer-of-papaparse', 'server/domains/files', `import 'papaparse'`, []],
  ['importer-of-papaparse', 'shared', `import 'papaparse'`, []],
  ['importer-of-lru-cache', 'server/domains/sessions', `import 'lru-cache'`, []],
  ['importer-of-openid-client', 'server/domains/sessions', `import 'openid-client'`, []],
  ['importer-of-standardwebhooks', 'server/domains/sessions', `import 'standardwebhooks'`, []],
  ['importer-of-better-auth', 'server/domains/sessions', `import 'better-auth/minimal'`, []],
  ['importer-of-simplewebauthn-server', 'server/domains/sessions', `import '@simplewebauthn/server'`, []],
  ['importer-of-libsql-client', 'server/domains/sessions', `import '@libsql/client'`, []],
  ['importer-of-libsql-client', 'server/domains/sessions', `import 'libsql'`, []],
]

/** Forbidden imports between the platform and an application on it. */
const between: Case[] = [
  [
    'authors-use-the-facade',
    'server/collections',
    `import '../../${HOUSE}/server/compose'`,
    [`${HOUSE}/server/compose.ts`],
  ],
  ['authors-use-the-facade', 'server/api', `import '../../${HOUSE}/server/compose'`, [`${HOUSE}/server/compose.ts`]],
  ['authors-use-the-facade', 'app/components', `import '../../${HOUSE}/app/b'`, [`${HOUSE}/app/b.ts`]],
  ['declarations-stand-alone', 'server/database', `import 'h3'`, []],
  ['declarations-stand-alone', `${SAMPLE_HOME}/server/database`, `import 'h3'`, []],
  ['authors-use-the-facade', `${SAMPLE_HOME}/app`, `import '../../../../${HOUSE}/app/b'`, [`${HOUSE}/app/b.ts`]],
  ['declarations-stand-alone', 'server/mcp', `import 'vue'`, []],
  ['platform-without-an-application', `${HOUSE}/server`, `import '../../../server/actions/b'`, ['server/actions/b.ts']],
  ['platform-without-an-application', `${HOUSE}/app`, `import '../../../app/b'`, ['app/b.ts']],
  ['desktop-stands-alone', DESKTOP, `import '../../../${HOUSE}/shared/b'`, [`${HOUSE}/shared/b.ts`]],
  ['desktop-stands-alone', DESKTOP, `import 'node:fs/promises'`, []],
  ['desktop-stands-alone', DESKTOP, `import './program/b'`, [`${DESKTOP}/program/b.ts`]],
  ['desktop-program', `${DESKTOP}/program`, `import '../../../../${HOUSE}/server/fw'`, []],
  ['desktop-by-its-name', `${HOUSE}/cli`, `import '../../../${DESKTOP}/b'`, [`${DESKTOP}/b.ts`]],
]

const inPlatform = ([rule, folder, code, others]: Case): Case => [
  rule,
  `${HOUSE}/${folder}`,
  code,
  others.map(path => `${HOUSE}/${path}`),
]
const forbidden = [...inHouse.map(inPlatform), ...between]

const allowed: [folder: string, code: string, others: string[]][] = [
  [`${HOUSE}/app`, `import type { X } from '../server/fw'\nexport type Y = X`, []],
  [`${HOUSE}/server/domains/sessions`, `import '../people/index'`, [`${HOUSE}/server/domains/people/index.ts`]],
  [`${HOUSE}/server/kernel/crypto`, `import 'node:crypto'`, []],
  [`${HOUSE}/server/actions`, `import '../fw'\nimport 'zod'`, []],
  [
    'server/actions',
    `import '../../${HOUSE}/server/fw'\nimport '../database/t'\nimport 'drizzle-orm'`,
    ['server/database/t.ts'],
  ],
  [
    `${SAMPLE_HOME}/server/actions`,
    `import '../../fw.config'\nimport '../../../../../${HOUSE}/server/fw'\nimport 'zod'`,
    [`${SAMPLE_HOME}/fw.config.ts`],
  ],
]

const TSCONFIG = '{"compilerOptions":{"moduleResolution":"bundler","module":"esnext"},"include":["../**/*"]}'
const PLACES = ['app', 'layers', 'packages', 'server', 'tests']

/** The path of a case's file: a separate file in its folder, or the case's own path. One run on one tree checks all cases. */
const forbiddenFile = (index: number) => {
  const place = forbidden[index]?.[1] ?? ''
  return place.endsWith('.ts') ? place : `${place}/case-${index}.ts`
}
const allowedFile = (index: number) => `${allowed[index]?.[0]}/allowed-${index}.ts`

function writeTree(): void {
  const write = (path: string, text: string) => writeFiles(folder, { [path]: text })
  const writeOther = (other: string) => {
    const [path = '', text = 'export {}'] = other.split(/=(.*)/s)
    write(path, text)
  }
  for (const [, , , others] of forbidden) for (const other of others) writeOther(other)
  for (const [, , others] of allowed) for (const other of others) writeOther(other)
  for (const [index, [, , code]] of forbidden.entries()) write(forbiddenFile(index), code)
  for (const [index, [, code]] of allowed.entries()) write(allowedFile(index), code)
  write(`${HOUSE}/server/fw.ts`, 'export const x = 1\nexport type X = 1')
  write('.nuxt/tsconfig.server.json', TSCONFIG)
  write('package.json', '{"type":"module"}')
  cpSync(config, join(folder, '.dependency-cruiser.cjs'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}

interface Report {
  modules: { source: string }[]
  summary: { violations: { from: string; rule: { name: string } }[] }
}

let report: Report
const rulesBrokenBy = (file: string) =>
  report.summary.violations.filter(({ from }) => from === file).map(({ rule }) => rule.name)

beforeAll(() => {
  writeTree()
  const args = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...PLACES]
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/depcruise'), args, { cwd: folder, maxBuffer: 64_000_000 })
  report = JSON.parse(String(stdout))
}, 60_000)

describe('dependency-cruiser rules', () => {
  it.each(forbidden.map((broken, index) => [...broken, forbiddenFile(index)] as const))(
    '%s rejects a forbidden import in %s',
    (rule, _folder, _code, _others, file) => {
      expect(rulesBrokenBy(file)).toContain(rule)
    },
  )

  it.each(allowed.map((way, index) => [...way, allowedFile(index)] as const))(
    'allow the permitted imports in %s',
    (_folder, _code, _others, file) => {
      expect(report.modules.map(({ source }) => source)).toContain(file)
      expect(rulesBrokenBy(file)).toEqual([])
    },
  )

  it('are each tested with at least one forbidden import', async () => {
    const { default: rules } = await import(config)
    const names = rules.forbidden.map((rule: { name: string }) => rule.name)
    expect(new Set(forbidden.map(([rule]) => rule))).toEqual(new Set(names))
  })
})
