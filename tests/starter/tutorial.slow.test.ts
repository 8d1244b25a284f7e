import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorFiles, changedFiles, emptyFolder, linkPackages, packLayer, platformFiles, run } from './project'
import { startReader } from './reader'
import { stepsOf } from './tutorial-steps'
import { writeFiles } from '../support/files'

// Follows the tutorials word for word, with an empty folder, a browser and an MCP host. The packed platform and this checkout's
// packages replace the registry.
const read = (name: string) => readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), 'utf8')
const place = emptyFolder()
const commands = join(place, 'commands')

beforeAll(async () => {
  const npx = join(place, 'npx')
  const tarball = await packLayer(place)
  await linkPackages(npx, tarball)
  const which = async (name: string) => (await run(place, 'which', [name])).out.trim()
  const [realNpm, realNpx] = [await which('npm'), await which('npx')]
  const install = `[ "$1" = install ] && cp -a '${npx}/node_modules' . && exec '${realNpm}' run --silent postinstall`
  const fetched = `[ "$1" = nuxt-fairway ] && shift && exec '${npx}/node_modules/.bin/nuxt-fairway' "$@"`
  const scripts = { npm: `${install}\nexec '${realNpm}' "$@"`, npx: `${fetched}\nexec '${realNpx}' "$@"` }
  for (const [name, lines] of Object.entries(scripts)) {
    writeFiles(commands, { [name]: `#!/bin/sh\n${lines}\n` })
    chmodSync(join(commands, name), 0o755)
  }
})

describe.each([
  ['tutorial.md', 'tracker'],
  ['tutorial-crm.md', 'crm'],
])('%s', (name, project) => {
  const text = read(name)
  const sections = stepsOf(text)
  const folder = join(place, `reader-of-${project}`)
  let reader: Awaited<ReturnType<typeof startReader>>
  beforeAll(async () => {
    mkdirSync(folder)
    reader = await startReader(folder, commands)
  })
  afterAll(() => reader?.stop())

  it('has steps in every numbered section', () => {
    const numbered = [...text.matchAll(/^## (\d+\. .+)$/gm)].map(([, title]) => title)
    expect(numbered.length).toBeGreaterThan(6)
    expect([...sections.keys()]).toEqual(numbered)
  })

  it.each([...sections.keys()].slice(0, -1))('%s', async title => {
    await reader.follow(sections.get(title) ?? [])
  })

  it('completes its last section without changing files of the project or the platform', async () => {
    const made = join(folder, project)
    const [own, platform] = [authorFiles(made), platformFiles(made)]
    await reader.follow([...sections.values()].at(-1) ?? [])
    expect(changedFiles(own, authorFiles(made))).toEqual([])
    expect(changedFiles(platform, platformFiles(made))).toEqual([])
  })
})

describe('code size of the CRM tutorial', () => {
  const sections = stepsOf(read('tutorial-crm.md'))
  const linesOf = (title: string, isCounted = (_path: string) => true) =>
    (sections.get(title) ?? []).flatMap(step => {
      if (step.kind === 'file') return isCounted(step.path) ? step.text.trimEnd().split('\n') : []
      return step.kind === 'change' ? step.after.split('\n') : []
    }).length
  const BESIDE = ['7. A mail each morning', '8. A large import beside the request']

  it('is at most 150 lines, including tests', () => {
    const titles = [...sections.keys()].filter(title => !BESIDE.includes(title))
    const lines = titles.map(title => linesOf(title)).reduce((sum, each) => sum + each, 0)
    expect(lines).toBeGreaterThan(20)
    expect(lines).toBeLessThanOrEqual(150)
  })

  it.each(BESIDE)('is below 40 lines in “%s”', title => {
    const lines = linesOf(title, path => !path.startsWith('tests/') && !path.endsWith('.json'))
    expect(lines).toBeGreaterThan(20)
    expect(lines).toBeLessThan(40)
  })
})
