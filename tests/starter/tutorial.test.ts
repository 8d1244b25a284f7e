import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorFiles, changedFiles, emptyFolder, linkPackages, packLayer, platformFiles, run } from './project'
import { startReader } from './reader'
import { stepsOf } from './tutorial-steps'
import { writeFiles } from '../support/files'

// docs/tutorial.md, done word for word by somebody with an empty folder, a browser and an MCP host. In place of the registry stand the
// packed platform and the packages of this checkout.
const text = readFileSync(fileURLToPath(new URL('../../docs/tutorial.md', import.meta.url)), 'utf8')
const sections = stepsOf(text)
const place = emptyFolder()
let reader: Awaited<ReturnType<typeof startReader>>

beforeAll(async () => {
  const npx = join(place, 'npx')
  const tarball = await packLayer(place)
  await linkPackages(npx, tarball)
  const which = async (name: string) => (await run(place, 'which', [name])).out.trim()
  const [realNpm, realNpx] = [await which('npm'), await which('npx')]
  const install = `[ "$1" = install ] && cp -a '${npx}/node_modules' . && exec '${realNpm}' run --silent postinstall`
  const fetched = `[ "$1" = nuxt-fairway ] && shift && exec '${npx}/node_modules/.bin/nuxt-fairway' "$@"`
  const commands = { npm: `${install}\nexec '${realNpm}' "$@"`, npx: `${fetched}\nexec '${realNpx}' "$@"` }
  for (const [name, lines] of Object.entries(commands)) {
    writeFiles(place, { [`commands/${name}`]: `#!/bin/sh\n${lines}\n` })
    chmodSync(join(place, 'commands', name), 0o755)
  }
  reader = await startReader(place, join(place, 'commands'))
})
afterAll(() => reader?.stop())

describe('the tutorial', () => {
  it('has steps in every numbered section', () => {
    const numbered = [...text.matchAll(/^## (\d+\. .+)$/gm)].map(([, title]) => title)
    expect(numbered.length).toBeGreaterThan(6)
    expect([...sections.keys()]).toEqual(numbered)
  })

  it.each([...sections.keys()].slice(0, -1))('%s', async title => {
    await reader.follow(sections.get(title) ?? [])
  })

  it('builds and starts as it is, and writes into none of its files, nor into the platform’s', async () => {
    const project = join(place, 'tracker')
    const [own, platform] = [authorFiles(project), platformFiles(project)]
    await reader.follow([...sections.values()].at(-1) ?? [])
    expect(changedFiles(own, authorFiles(project))).toEqual([])
    expect(changedFiles(platform, platformFiles(project))).toEqual([])
  })
})
