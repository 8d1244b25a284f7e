import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { emptyFolder, freshCache, run, runOk, settingsOf, startProgram, startScript } from './project'

// Runs the exact commands of README.md, docs/index.md and the start guide, with the machine's own Node in a fresh clone.
const root = fileURLToPath(new URL('../..', import.meta.url))
// Away from the ports of other files: a development server whose port is taken uses the next one.
const PORT = '4711'
const origin = `http://localhost:${PORT}`
const env = { PORT, NUXT_PORT: PORT }

/** The lines of the first command blocks on a page. */
const blocksOf = (page: string, most: number): string[][] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/```sh\n([^]*?)\n```/g)]
    .slice(0, most)
    .map(([, lines = '']) => lines.split('\n').map(line => line.replace(/\s+# .*/, '')))

/** Starts a command that keeps running, requests the session, and stops the command. */
async function askedWhileRunning(folder: string, line: string): Promise<unknown> {
  const server = await startProgram(folder, ['sh', '-c', line], origin, env)
  const answer = await fetch(`${origin}/_fw/session`, { headers: { 'sec-fetch-site': 'same-origin' } })
  await server.stop()
  return answer.json()
}

it.each([
  ['README.md', 3, '/issues'],
  ['docs/index.md', 1, '/'],
  ['docs/guides/start.md', 1, '/'],
])('%s', async (page, most, path) => {
  const folder = join(emptyFolder(), 'fairway')
  execFileSync('git', ['clone', '--quiet', root, folder])
  if (freshCache) rmSync(join(folder, 'package-lock.json'))
  for (const block of blocksOf(page, most)) {
    let place = folder
    for (const line of block) {
      if (line.startsWith('cd ')) place = resolve(place, line.slice(3))
      else if (/\b(run dev|npm start)$/.test(line))
        expect(await askedWhileRunning(place, line)).toHaveProperty('session')
      else expect(await run(place, 'sh', ['-c', line], env)).toMatchObject({ code: 0 })
    }
  }
  const made = resolve(folder, '../my-app')
  if (existsSync(made)) await buildsAndStarts(made, path)
})

/** The commands in the README of a new application, after those of ours; then it serves one of its pages. */
async function buildsAndStarts(project: string, path: string): Promise<void> {
  await runOk(project, 'npm', 'run', 'build')
  expect(await runOk(project, 'npm', 'test')).toMatch(/Test Files .*passed/)
  // A deployment installs by the lockfile.
  await runOk(project, 'npm', 'ci', '--dry-run')
  const server = await startScript(project, 'start', origin, settingsOf(origin, join(project, 'data')))
  const page = await fetch(`${origin}${path}`, { headers: { accept: 'text/html' } })
  expect([page.status, server.log()]).toEqual([200, expect.not.stringContaining('"level":"error"')])
  await server.stop()
}
