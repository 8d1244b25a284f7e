import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { envTable } from '#fairway/server/kernel/config/env'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'deploy')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const files = readdirSync(folder)

const run = (command: string, args: string[]) => {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}` }
}
const has = (command: string) => spawnSync('which', [command]).status === 0
const scratch = mkdtempSync(join(tmpdir(), 'fw-recipes-'))

/** The names of settings in a text: words in capitals with one of our prefixes. */
const settingsIn = (text: string): string[] =>
  [
    ...text.matchAll(/\b(?:FW|AUTH|A2A|BETTER|DATABASE|EMAIL|SMTP|ACCESS)_[A-Z0-9_]+|\b(?:PORT|HOST|NODE_ENV)(?==)/g),
  ].map(([name]) => name)
const unknownIn = (text: string): string[] => settingsIn(text).filter(name => !(name in envTable))

describe('deployment recipes', () => {
  it('use settings, and only existing ones', () => {
    const guide = readFileSync(join(root, 'docs/guides/deployment.md'), 'utf8')
    const texts = Object.fromEntries([...files.map(name => [name, read(name)] as const), ['the guide', guide]])
    expect(Object.entries(texts).map(([name, text]) => [name, unknownIn(text)])).toEqual(
      Object.keys(texts).map(name => [name, []]),
    )
    for (const name of ['Dockerfile', 'compose.yaml', 'nginx.conf', 'Caddyfile', 'fairway.service'])
      expect([name, settingsIn(read(name)).length > 0]).toEqual([name, true])
    expect(unknownIn('FW_BASEURL=https://app.example.com PORT=3000')).toEqual(['FW_BASEURL'])
  })

  it('are each explained in the deployment guide', () => {
    const guide = readFileSync(join(root, 'docs/guides/deployment.md'), 'utf8')
    expect(files.filter(name => !guide.includes(`deploy/${name}`))).toEqual([])
  })
})

describe('the Dockerfile', () => {
  const [, ...stages] = read('Dockerfile').split(/^FROM /m)
  const final = stages.at(-1) ?? ''

  it('has valid syntax', () => {
    expect(validate(read('Dockerfile'))).toEqual([])
    expect(validate('FROM node\nCOPPY . .\n')).not.toEqual([])
  })

  it('uses an exact Node.js version in each stage', () => {
    expect(stages.map(stage => /^node:\d+\.\d+\.\d+-\S+/.test(stage))).toEqual([true, true])
  })

  it('ends with only the build, runs as an unprivileged user and has a health check', () => {
    expect(final).not.toMatch(/npm|COPY \. /)
    expect(final.match(/^USER (\S+)/m)?.[1]).toBe('node')
    expect(final.indexOf('USER node')).toBeLessThan(final.indexOf('\nCMD'))
    const [, asked = ''] = /^HEALTHCHECK [^]*(\/_fw\/health\/\w+)`/m.exec(final) ?? []
    expect([asked, existsSync(join(root, `layers/fairway/server/routes${asked}.ts`))]).toEqual([
      expect.stringContaining('/_fw/'),
      true,
    ])
  })
})

describe('the compose file', () => {
  it('passes the schema and the linter', () => {
    const lint = (file: string) => run(join(root, 'node_modules/.bin/dclint'), ['--max-warnings', '0', file])
    expect(lint(join(folder, 'compose.yaml'))).toEqual({ status: 0, output: expect.any(String) })
    const broken = join(scratch, 'compose.yaml')
    writeFileSync(broken, read('compose.yaml').replace('healthcheck:', 'heathcheck:'))
    expect(lint(broken).status).not.toBe(0)
  })

  it('publishes ports only on this machine, requires the secret and pins image versions', () => {
    const compose = parseDocument(read('compose.yaml')).toJS()
    const services: { ports?: string[]; image?: string; environment?: Record<string, string> }[] = Object.values(
      compose.services,
    )
    const ports = services.flatMap(service => service.ports ?? [])
    expect(ports.length).toBeGreaterThan(0)
    expect(ports.filter(port => !port.startsWith('127.0.0.1:'))).toEqual([])
    expect(compose.services.app.environment.BETTER_AUTH_SECRET).toMatch(/^\$\{BETTER_AUTH_SECRET:\?/)
    expect(services.flatMap(({ image }) => image ?? []).filter(image => !/:v\d/.test(image))).toEqual([])
  })
})

describe('the workflow', () => {
  it('is valid YAML with read-only permissions and versioned actions', () => {
    const document = parseDocument(read('github-workflow.yml'))
    expect(document.errors).toEqual([])
    const workflow = document.toJS()
    expect(workflow.permissions).toEqual({ contents: 'read' })
    const steps: { uses?: string; run?: string }[] = workflow.jobs.check.steps
    const uses = steps.flatMap(step => step.uses ?? [])
    expect(uses.filter(name => !/^actions\/[\w-]+@(v\d+|[0-9a-f]{40})$/.test(name))).toEqual([])
    expect(steps.flatMap(step => step.run ?? [])[0]).toContain('npm ci')
  })
})

describe('configuration files of other programs', () => {
  it.skipIf(!has('caddy'))('pass validation by Caddy', () => {
    const validated = run('caddy', ['validate', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')])
    expect(validated).toEqual({ status: 0, output: expect.stringContaining('Valid configuration') })
  })

  it.skipIf(!has('systemd-analyze'))('pass verification by systemd', () => {
    const verify = (text: string) => {
      const file = join(scratch, 'fairway.service')
      writeFileSync(file, text.replaceAll('/usr/bin/node', process.execPath))
      return run('systemd-analyze', ['verify', file])
    }
    expect(verify(read('fairway.service'))).toEqual({ status: 0, output: '' })
    expect(verify(read('fairway.service').replace('ExecStart=', 'ExecStrat=')).output).not.toBe('')
  })
})
