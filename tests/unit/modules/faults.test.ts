import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { answerFault } from '#fairway/modules/dev-server/development-server'
import { placeOf, toFault } from '#fairway/modules/dev-server/faults'
import { serveListener } from '../../support/web-server'

const SOURCE = ['import a', 'import b', 'export default greet(', '  <x>', ')', ''].join('\n')

function project(): { rootDir: string; file: string } {
  const rootDir = mkdtempSync(join(tmpdir(), 'fw-faults-'))
  const file = join(rootDir, 'server/actions/greet.ts')
  mkdirSync(join(rootDir, 'server/actions'), { recursive: true })
  writeFileSync(file, SOURCE)
  return { rootDir, file }
}

it('toFault reports a bundler error with a one-line reason, its position and the surrounding lines', () => {
  const { rootDir, file } = project()
  const message = `[PARSE_ERROR] Unexpected token\n   ╭─[ ${file}:4:3 ]\n`
  const fault = toFault({ errors: [{ message, loc: { file, line: 4, column: 2 } }] }, rootDir)
  expect(fault.message).toBe('server/actions/greet.ts: does not load: Unexpected token')
  expect(placeOf(fault, rootDir)).toBe('server/actions/greet.ts:4:3')
  expect(fault.frame?.split('\n')).toEqual([
    '2 | import b',
    '3 | export default greet(',
    '4 |   <x>',
    '  |   ^',
    '5 | )',
    '6 | ',
  ])
})

it('toFault finds the position in the author’s file in a stack that Node.js has mapped', () => {
  const { rootDir, file } = project()
  const platform = join(import.meta.dirname, '../../../layers/fairway/server/fw.ts')
  const error = new Error('Unrecognized key')
  error.stack = `Error: Unrecognized key\n    at define (${platform}:3:1)\n    at file://${file}:3:16`
  const fault = toFault(error, rootDir)
  expect(fault.message).toBe('server/actions/greet.ts: does not load: Unrecognized key')
  expect(placeOf(fault, rootDir)).toBe('server/actions/greet.ts:3:16')
})

it('toFault keeps a reason that names its file, and ignores a missing file', () => {
  const { rootDir } = project()
  const reason = 'server/actions/greet.ts: the default export is not made by defineAction'
  expect(toFault(new Error(reason), rootDir).message).toBe(reason)
  expect(placeOf(toFault(new Error(reason), rootDir), rootDir)).toBe('server/actions/greet.ts')
  expect(placeOf(toFault(new Error('server/gone.ts: away'), rootDir), rootDir)).toBe('')
})

it('answerFault returns an escaped page to people and a problem document to programs', async () => {
  const { rootDir, file } = project()
  const fault = { message: 'a <b> reason', file, line: 4, column: 2, frame: '4 |   <x>' }
  const server = await serveListener((req, res) => answerFault(req, res, fault, rootDir))
  const ask = (accept: string) => fetch(server.origin, { headers: { accept } })
  const problem = await ask('application/json')
  expect([problem.status, problem.headers.get('content-type')]).toEqual([503, 'application/problem+json'])
  expect(await problem.json()).toMatchObject({
    status: 503,
    detail: 'a <b> reason',
    place: 'server/actions/greet.ts:4:3',
    frame: '4 |   <x>',
  })
  const page = await ask('text/html')
  expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8'])
  expect(await page.text()).toContain('<pre>a &lt;b&gt; reason</pre>')
  await server.stop()
})
