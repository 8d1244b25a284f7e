import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { chain } from './chain'
import { authorFiles, changedFiles, emptyFolder, linkPackages, NEXT, packLayer, run, unpack, VERSION } from './project'
import { writeFiles } from '../support/files'

// Tests an author's project without downloads: it uses this checkout's packages.
const place = emptyFolder()
const project = join(place, 'my-app')
let tarball: string
/** An author's own server files with their test. */
const ownServer: Record<string, string> = {
  'server/actions/say-hello.ts': `import { z } from 'zod'
import { defineAction } from '#fw'

export default defineAction({
  description: 'Says hello.',
  input: z.object({}),
  run: (_input, { session }) => 'Hello, ' + session.name,
})
`,
  'server/utils/shout.ts': 'export const shout = (text: string) => text.toUpperCase()\n',
  'server/middleware/1.mark.ts': `export default defineEventHandler(event => setResponseHeader(event, 'x-own', 'yes'))\n`,
  'server/api/hello.get.ts': `export default defineEventHandler(async event => {
  const { session } = await useFairway(event)
  return { text: shout('hello'), name: session.name, query: getQuery(event) }
})
`,
  'server/pages/frame.tsx': `import { definePageFrame } from '#fw'

export default definePageFrame(({ content }) => <main id="own-frame">{content}</main>)
`,
  'tests/own-server.test.ts': `import { testApp } from 'nuxt-fairway/vitest'
import { expect, it } from 'vitest'

const app = await testApp()
const maria = await app.person({ name: 'Maria' })

it('runs the action', async () => {
  expect(await app.as(maria).run('say-hello')).toBe('Hello, Maria')
})

it('answers the route behind the middleware', async () => {
  const answer = await app.as(maria).fetch('/api/hello?a=1')
  expect([answer.status, await answer.json(), answer.headers.get('x-own')]).toEqual([
    200,
    { text: 'HELLO', name: 'Maria', query: { a: '1' } },
    'yes',
  ])
  expect((await app.as(null).fetch('/api/hello')).status).toBe(401)
})

it('shows the frame around the sign-in page', async () => {
  const page = await app.as(null).fetch('/sign-in', { headers: { accept: 'text/html' } })
  expect(await page.text()).toContain('own-frame')
})
`,
}

const ISSUE = ['title:text', 'status:enum(open,done)', 'dueAt:date']

const fw = (args: string[], folder = project, home = project) =>
  run(folder, process.execPath, [join(home, 'node_modules/nuxt-fairway/cli/fw.mjs'), ...args])

beforeAll(async () => {
  tarball = await packLayer(place)
  // The package's own command outside of any application, as npx starts it.
  await unpack(tarball, join(place, 'npx/node_modules/nuxt-fairway'))
  await linkPackages(join(place, 'npx'), tarball)
})

describe('a new project', () => {
  it('is created by the packed command line with ten files', async () => {
    const program = join(place, 'npx/node_modules/nuxt-fairway/cli/fw.mjs')
    const args = ['new', 'my-app', '--sample', 'empty', '--no-install', '--package', tarball]
    const { code, out } = await run(place, process.execPath, [program, ...args])
    expect([code, out]).toEqual([0, expect.stringContaining('10 files written into my-app')])
    expect(Object.keys(authorFiles(project))).toEqual([
      '.gitignore',
      'README.md',
      'app/locales/de/language.json',
      'app/pages/index.vue',
      'drizzle.config.ts',
      'fw.config.ts',
      `nuxt-fairway-${VERSION}.tgz`,
      'nuxt.config.ts',
      'package.json',
      'tsconfig.json',
      'vitest.config.ts',
    ])
    expect(existsSync(join(project, '.git'))).toBe(true)
  })

  it('gets a resource with one command', async () => {
    await linkPackages(project, tarball)
    const { code, out, seconds } = await fw(['generate', 'resource', 'issue', ...ISSUE, '--org'])
    console.log(`fw generate resource: ${seconds.toFixed(1)} s`)
    expect([code, out]).toEqual([0, expect.stringContaining('new      drizzle/0000_issues.sql')])
    expect((await fw(['generate', 'resource', 'issue', ...ISSUE, '--org'])).out).toContain('Nothing to change')
  })

  it('has tools that reach every recorded host', async () => {
    const { code, out } = await fw(['hosts'])
    expect([code, out]).toEqual([0, expect.stringContaining('All tools arrive in all 7 hosts.')])
    const action = ownServer['server/actions/say-hello.ts']?.replace('{}', '{ größe: z.number() }') ?? ''
    writeFiles(project, { 'server/actions/measure.ts': action })
    const unusual = await fw(['hosts', 'claude-code', '--json'])
    rmSync(join(project, 'server/actions/measure.ts'))
    const hidden = { effect: 'hides', found: [{ tool: 'measure', detail: 'the field “größe”' }] }
    expect([unusual.code, JSON.parse(unusual.out).hosts]).toMatchObject([1, [{ findings: [hidden] }]])
  })

  it('has a command line that works in any of its folders', async () => {
    const { code, out } = await fw(['action', '--list'], join(project, 'app'))
    expect([code, out]).toEqual([0, expect.stringContaining('invite-member')])
  })
})

describe('three resources in a chain of required references', () => {
  const school = join(place, 'school')
  const generate = async () => {
    const ended = []
    for (const args of chain) ended.push(await fw(args, school, school))
    return ended
  }

  it('are generated by commands that change no byte when they run again', async () => {
    const program = join(place, 'npx/node_modules/nuxt-fairway/cli/fw.mjs')
    await run(place, process.execPath, [
      program,
      'new',
      'school',
      '--sample',
      'empty',
      '--no-install',
      '--package',
      tarball,
    ])
    await linkPackages(school, tarball)
    for (const { code, out } of await generate()) expect([code, out]).toEqual([0, expect.stringContaining('Next:')])
    const before = authorFiles(school)
    for (const { code, out } of await generate())
      expect([code, out]).toEqual([0, 'Nothing to change: everything is there already.\n'])
    expect(changedFiles(before, authorFiles(school))).toEqual([])
  })

  it('pass their tests untouched, which import rows with the titles of others', async () => {
    const { code, out } = await run(school, process.execPath, [join(school, 'node_modules/vitest/vitest.mjs'), 'run'])
    expect([code, out]).toEqual([0, expect.stringMatching(/Tests .*16 passed/)])
  })
})

describe('tests of a project', () => {
  const tested = join(place, 'tested')
  const test = () => run(tested, process.execPath, [join(tested, 'node_modules/vitest/vitest.mjs'), 'run'])

  it('run before any build or preparation step', async () => {
    const program = join(place, 'npx/node_modules/nuxt-fairway/cli/fw.mjs')
    const args = ['new', 'tested', '--sample', 'notes', '--no-install', '--package', tarball]
    const made = await run(place, process.execPath, [program, ...args])
    expect([made.code, made.out]).toEqual([0, expect.stringContaining('files written into tested')])
    await linkPackages(tested, tarball)
    const { code, out } = await test()
    expect([code, out]).toEqual([0, expect.stringMatching(/Tests .*3 passed/)])
    expect(existsSync(join(tested, '.nuxt'))).toBe(false)
  })

  it('reach the author’s actions, routes, middleware, their auto-imports and the frame around platform pages', async () => {
    writeFiles(tested, ownServer)
    const { code, out } = await test()
    expect([code, out]).toEqual([0, expect.stringMatching(/Tests .*6 passed/)])
  })

  it('fail and name the file of an invalid declaration', async () => {
    writeFiles(tested, { 'server/actions/broken.ts': 'export default { run: nowhere }\n' })
    const { code, out } = await test()
    expect([code, out]).toEqual([1, expect.stringContaining('server/actions/broken.ts')])
  })
})

describe('fw upgrade', () => {
  const next = join(place, 'next/package')
  const upgrade = (...args: string[]) => fw(['upgrade', '--to', next, ...args])

  beforeAll(async () => {
    await unpack(tarball, next)
    const manifest = readFileSync(join(next, 'package.json'), 'utf8')
    writeFiles(next, {
      'package.json': manifest
        .replace(`"version": "${VERSION}"`, `"version": "${NEXT}"`)
        .replace(/"prepack": "[^"]*"/, ''),
      'CHANGELOG.md': `# Changelog\n\n## ${NEXT}\n\n- Everything is better.\n`,
      'drizzle/0099_better.sql': 'CREATE TABLE `better` (`id` text);',
      'cli/project/upgrade/codemods.ts': `export const codemods = [{
        version: '${NEXT}',
        title: 'the start page says more',
        files: 'app/**/*.vue',
        change: (text: string) => text.replace('Hello', 'Good day'),
      }]`,
    })
  })

  it('shows what the next version changes and writes nothing with --dry-run', async () => {
    const before = authorFiles(project)
    const { code, out } = await upgrade('--dry-run')
    expect([code, out]).toEqual([0, expect.stringContaining(`nuxt-fairway ${VERSION} → ${NEXT}`)])
    expect(out).toContain('- Everything is better.')
    expect(out).toContain('0099_better')
    expect(out).toContain('the start page says more')
    expect(out).toContain(`+    "nuxt-fairway": "file:nuxt-fairway-${NEXT}.tgz"`)
    expect(out).toMatch(/^\+.*Good day/m)
    expect(changedFiles(before, authorFiles(project))).toEqual([])
  })

  it('refuses to run with uncommitted changes', async () => {
    const before = authorFiles(project)
    const { code, out } = await upgrade()
    expect([code, out]).toEqual([2, expect.stringContaining('not committed')])
    expect(changedFiles(before, authorFiles(project))).toEqual([])
  })

  it('leaves every file unchanged when the packages cannot be installed', async () => {
    const before = authorFiles(project)
    writeFiles(place, { 'bin/npm': '#!/bin/sh\n[ "$1" = pack ] && exec "$REAL_NPM" "$@"\nexit 1\n' })
    await run(place, 'chmod', ['+x', 'bin/npm'])
    const which = await run(place, 'which', ['npm'])
    const env = { PATH: `${join(place, 'bin')}:${process.env.PATH}`, REAL_NPM: which.out.trim() }
    const program = join(project, 'node_modules/nuxt-fairway/cli/fw.mjs')
    const { code, out } = await run(project, process.execPath, [program, 'upgrade', '--to', next, '--force'], env)
    expect([code, out]).toEqual([1, expect.stringContaining('Nothing was changed')])
    expect(changedFiles(before, authorFiles(project))).toEqual([])
  })
})
