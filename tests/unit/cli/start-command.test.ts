import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { startFw } from '../../support/fw'

const results = fileURLToPath(new URL('../../../test-results', import.meta.url))
mkdirSync(results, { recursive: true })
const made: string[] = []
afterAll(() => made.forEach(root => rmSync(root, { recursive: true })))

/** An application with this program as its built server; undefined means that there is no build. */
function application(server?: string): string {
  // Inside the application that contains the platform, like one of several in a workspace.
  const root = mkdtempSync(join(results, 'start-'))
  made.push(root)
  writeFileSync(join(root, 'nuxt.config.ts'), '')
  writeFileSync(join(root, '.env'), 'FW_BASE_URL=https://from-the-file.example\n')
  mkdirSync(join(root, '.output/server'), { recursive: true })
  if (server !== undefined) writeFileSync(join(root, '.output/server/index.mjs'), server)
  return root
}

it('fw start explains what to do without a build and exits with 1', async () => {
  const { code, err } = await startFw(['start'], {}, application()).ended
  expect([code, err]).toEqual([1, 'There is no build yet. Run `npm run build` first.\n'])
})

it.each([
  [{}, 'production'],
  [{ NODE_ENV: 'development' }, 'development'],
])('fw start with %j loads .env, runs the server in %s and returns its exit code', async (env, mode) => {
  const server = `const { NODE_ENV, FW_BASE_URL } = process.env
console.log(JSON.stringify({ NODE_ENV, FW_BASE_URL, pid: process.pid }))
process.exitCode = 7`
  const { code, out } = await startFw(['start'], env, application(server)).ended
  expect(code).toBe(7)
  expect(JSON.parse(out)).toMatchObject({ NODE_ENV: mode, FW_BASE_URL: 'https://from-the-file.example' })
})

it.each(['SIGTERM', 'SIGINT'] as const)('fw start passes %s to the server', async signal => {
  const server = `process.on('${signal}', () => { console.log('stopped'); process.exit(5) })
setInterval(() => {}, 1000)
console.log('listening')`
  const running = startFw(['start'], {}, application(server))
  await running.until(/listening/)
  running.kill(signal)
  expect(await running.ended).toMatchObject({ code: 5, out: 'listening\nstopped\n' })
})
