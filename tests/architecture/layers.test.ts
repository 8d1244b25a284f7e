import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const config = join(root, '.dependency-cruiser.cjs')
const folder = mkdtempSync(join(tmpdir(), 'fw-layers-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** One forbidden import for each wall: the file that imports, what it imports, and the files that must be there. */
const forbidden: [rule: string, from: string, code: string, others: string[]][] = [
  ['no-cycles', 'server/foundation/a.ts', `import './b'`, ['server/foundation/b.ts=import "./a"']],
  ['edges-are-leaves', 'server/fw.ts', `import './routes/x.get'`, ['server/routes/x.get.ts']],
  ['edges-are-leaves', 'server/fw.ts', `import './mounted/x'`, ['server/mounted/x.ts']],
  [
    'app-not-server',
    'app/a.ts',
    `import { x } from '../server/fw'\nexport const y = x`,
    ['server/fw.ts=export const x = 1'],
  ],
  ['shared-is-pure', 'shared/a.ts', `import 'vue'`, []],
  ['shared-is-pure', 'shared/a.ts', `import '../app/b'`, ['app/b.ts']],
  ['desktop-stands-alone', 'desktop/a.ts', `import '../server/fw'`, ['server/fw.ts']],
  ['desktop-stands-alone', 'desktop/a.ts', `import 'node:fs/promises'`, []],
  ['desktop-reference-host', 'desktop/reference-host/a.ts', `import '../../server/fw'`, ['server/fw.ts']],
  ['desktop-knows-no-browser', 'desktop/a.ts', `import './reference-host/b'`, ['desktop/reference-host/b.ts']],
  [
    'foundation-below-domains',
    'server/foundation/a.ts',
    `import '../domains/shell/index'`,
    ['server/domains/shell/index.ts'],
  ],
  ['domains-below-facade', 'server/domains/shell/a.ts', `import '../../fw'`, ['server/fw.ts']],
  ['domains-below-facade', 'server/domains/shell/a.ts', `import '../../actions/b'`, ['server/actions/b.ts']],
  [
    'domains-through-index',
    'server/domains/sessions/a.ts',
    `import '../accounts/tables'`,
    ['server/domains/accounts/tables.ts'],
  ],
  [
    'arrows-of-accounts',
    'server/domains/accounts/a.ts',
    `import '../sessions/index'`,
    ['server/domains/sessions/index.ts'],
  ],
  ['arrows-of-shell', 'server/domains/shell/a.ts', `import '../sessions/index'`, ['server/domains/sessions/index.ts']],
  [
    'arrows-of-rate-limits',
    'server/domains/rate-limits/a.ts',
    `import '../sessions/index'`,
    ['server/domains/sessions/index.ts'],
  ],
  ['arrows-of-mail', 'server/domains/mail/a.ts', `import '../sessions/index'`, ['server/domains/sessions/index.ts']],
  [
    'arrows-of-email-links',
    'server/domains/email-links/a.ts',
    `import '../accounts/index'`,
    ['server/domains/accounts/index.ts'],
  ],
  [
    'arrows-of-builder',
    'server/domains/builder/a.ts',
    `import '../sessions/index'`,
    ['server/domains/sessions/index.ts'],
  ],
  ['arrows-of-embed', 'server/domains/embed/a.ts', `import '../sessions/index'`, ['server/domains/sessions/index.ts']],
  ['arrows-of-vault', 'server/domains/vault/a.ts', `import '../sessions/index'`, ['server/domains/sessions/index.ts']],
  [
    'arrows-of-sharing',
    'server/domains/sharing/a.ts',
    `import '../organizations/index'`,
    ['server/domains/organizations/index.ts'],
  ],
  [
    'arrows-of-organizations',
    'server/domains/organizations/a.ts',
    `import '../app-roles/index'`,
    ['server/domains/app-roles/index.ts'],
  ],
  [
    'arrows-of-app-roles',
    'server/domains/app-roles/a.ts',
    `import '../sharing/index'`,
    ['server/domains/sharing/index.ts'],
  ],
  [
    'arrows-of-devices',
    'server/domains/devices/a.ts',
    `import '../sessions/index'`,
    ['server/domains/sessions/index.ts'],
  ],
  [
    'arrows-of-auth-library',
    'server/domains/auth-library/a.ts',
    `import '../sign-in/index'`,
    ['server/domains/sign-in/index.ts'],
  ],
  [
    'arrows-of-sessions',
    'server/domains/sessions/a.ts',
    `import '../actions/index'`,
    ['server/domains/actions/index.ts'],
  ],
  [
    'arrows-of-provider-sign-in',
    'server/domains/provider-sign-in/a.ts',
    `import '../sign-in/index'`,
    ['server/domains/sign-in/index.ts'],
  ],
  [
    'arrows-of-passkeys',
    'server/domains/passkeys/a.ts',
    `import '../sign-in/index'`,
    ['server/domains/sign-in/index.ts'],
  ],
  [
    'arrows-of-two-factor',
    'server/domains/two-factor/a.ts',
    `import '../sign-in/index'`,
    ['server/domains/sign-in/index.ts'],
  ],
  [
    'arrows-of-sign-in',
    'server/domains/sign-in/a.ts',
    `import '../actions/index'`,
    ['server/domains/actions/index.ts'],
  ],
  [
    'arrows-of-actions',
    'server/domains/actions/a.ts',
    `import '../sign-in/index'`,
    ['server/domains/sign-in/index.ts'],
  ],
  ['arrows-of-peers', 'server/domains/peers/a.ts', `import '../sessions/index'`, ['server/domains/sessions/index.ts']],
  ['arrows-of-a2a', 'server/domains/a2a/a.ts', `import '../mcp/index'`, ['server/domains/mcp/index.ts']],
  [
    'arrows-of-identity-hub',
    'server/domains/identity-hub/a.ts',
    `import '../actions/index'`,
    ['server/domains/actions/index.ts'],
  ],
  [
    'arrows-of-desktop-sso',
    'server/domains/desktop-sso/a.ts',
    `import '../auth-library/index'`,
    ['server/domains/auth-library/index.ts'],
  ],
  ['arrows-of-mcp', 'server/domains/mcp/a.ts', `import '../sign-in/index'`, ['server/domains/sign-in/index.ts']],
  [
    'authors-use-the-facade',
    'server/mcp/a.ts',
    `import '../domains/sessions/index'`,
    ['server/domains/sessions/index.ts'],
  ],
  [
    'arrows-of-collections',
    'server/domains/collections/a.ts',
    `import '../actions/index'`,
    ['server/domains/actions/index.ts'],
  ],
  [
    'authors-use-the-facade',
    'server/collections/a.ts',
    `import '../domains/collections/index'`,
    ['server/domains/collections/index.ts'],
  ],
  [
    'arrows-of-oauth-client',
    'server/domains/oauth-client/a.ts',
    `import '../sessions/index'`,
    ['server/domains/sessions/index.ts'],
  ],
  [
    'arrows-of-oauth-server',
    'server/domains/oauth-server/a.ts',
    `import '../mcp/index'`,
    ['server/domains/mcp/index.ts'],
  ],
  [
    'arrows-of-local-migration',
    'server/domains/local-migration/a.ts',
    `import '../organizations/index'`,
    ['server/domains/organizations/index.ts'],
  ],
  [
    'authors-use-the-facade',
    'server/actions/a.ts',
    `import '../domains/sessions/index'`,
    ['server/domains/sessions/index.ts'],
  ],
  ['authors-use-the-facade', 'server/database/a.ts', `import 'h3'`, []],
  ['crypto-door', 'server/domains/shell/a.ts', `import 'node:crypto'`, []],
  ['arrows-of-audit', 'server/domains/audit/a.ts', `import '../sign-in/index'`, ['server/domains/sign-in/index.ts']],
  [
    'arrows-of-security-events',
    'server/domains/security-events/a.ts',
    `import '../sign-in/index'`,
    ['server/domains/sign-in/index.ts'],
  ],
  ['door-of-openid-client', 'server/domains/sessions/a.ts', `import 'openid-client'`, []],
  ['door-of-better-auth', 'server/domains/sessions/a.ts', `import 'better-auth/minimal'`, []],
  ['door-of-simplewebauthn-server', 'server/domains/sessions/a.ts', `import '@simplewebauthn/server'`, []],
  ['door-of-libsql-client', 'server/domains/sessions/a.ts', `import '@libsql/client'`, []],
  ['door-of-libsql-client', 'server/domains/sessions/a.ts', `import 'libsql'`, []],
]

const allowed: [from: string, code: string, others: string[]][] = [
  ['app/a.ts', `import type { X } from '../server/fw'\nexport type Y = X`, ['server/fw.ts=export type X = 1']],
  ['server/domains/sessions/a.ts', `import '../accounts/index'`, ['server/domains/accounts/index.ts']],
  [
    'server/actions/a.ts',
    `import '../fw'\nimport '../database/t'\nimport 'drizzle-orm'`,
    ['server/fw.ts', 'server/database/t.ts'],
  ],
  ['server/foundation/crypto/a.ts', `import 'node:crypto'`, []],
]

const TSCONFIG = '{"compilerOptions":{"moduleResolution":"bundler","module":"esnext"},"include":["../**/*"]}'
let count = 0
async function violations(from: string, code: string, others: string[]): Promise<string[]> {
  const tree = join(folder, String(++count))
  const files = [`${from}=${code}`, ...others]
  for (const file of files) {
    const at = file.indexOf('=')
    const path = join(tree, at === -1 ? file : file.slice(0, at))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, at === -1 ? 'export {}' : file.slice(at + 1))
  }
  mkdirSync(join(tree, '.nuxt'))
  writeFileSync(join(tree, '.nuxt/tsconfig.server.json'), TSCONFIG)
  writeFileSync(join(tree, 'package.json'), '{"type":"module"}')
  cpSync(config, join(tree, '.dependency-cruiser.cjs'))
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  const places = [...new Set(files.map(file => file.split('/')[0] ?? ''))]
  const args = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...places]
  const { stdout } = await run(join(root, 'node_modules/.bin/depcruise'), args, {
    cwd: tree,
    maxBuffer: 64_000_000,
  }).catch((error: { stdout: string }) => error)
  const report = JSON.parse(stdout)
  return report.summary.violations.map((violation: { rule: { name: string } }) => violation.rule.name)
}

// Each case starts the checker anew, several at once.
describe.concurrent('walls', { timeout: 60_000 }, () => {
  it.each(forbidden)('%s stops %s', async (rule, from, code, others) => {
    expect(await violations(from, code, others)).toContain(rule)
  })

  it.each(allowed)('let %s import what it may', async (from, code, others) => {
    expect(await violations(from, code, others)).toEqual([])
  })

  it('are all tried here', async () => {
    const { default: rules } = await import(config)
    const names = rules.forbidden.map((rule: { name: string }) => rule.name)
    expect(new Set(forbidden.map(([rule]) => rule))).toEqual(new Set(names))
  })
})
