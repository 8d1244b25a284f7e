import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sampleDir } from '../../scripts/sample.mjs'
import { startServer } from '../support/server'

const output = join(sampleDir, '.output')
const COMPILED = 'server/.compiled'

it('built server files have one byte per character, lines of readable length and no source maps', () => {
  const files = globSync('server/{*,chunks/**/*}.mjs', { cwd: output })
  expect(files.length).toBeGreaterThan(100)
  expect(globSync('server/{*,chunks/**/*}.map', { cwd: output })).toEqual([])
  const texts = files.map(file => ({ file, text: readFileSync(join(output, file), 'utf8') }))
  expect(texts.filter(({ text }) => Buffer.byteLength(text) !== text.length).map(({ file }) => file)).toEqual([])
  const main = texts.toSorted((a, b) => b.text.length - a.text.length)[0]
  expect(main?.text.split('\n').length).toBeGreaterThan((main?.text.length ?? 0) / 1000)
})

it('the server stores compiled code next to its files and starts without it when it cannot', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'fw-server-file-'))
  cpSync(output, copy, { recursive: true, filter: source => !source.includes('.compiled') })
  try {
    const first = await startServer({ output: copy })
    await first.stop()
    expect(existsSync(join(copy, COMPILED))).toBe(true)
    rmSync(join(copy, COMPILED), { recursive: true })
    writeFileSync(join(copy, COMPILED), 'no folder can be made here')
    const second = await startServer({ output: copy })
    expect((await fetch(`${second.origin}/_fw/health/ready`)).status).toBe(200)
    await second.stop()
  } finally {
    rmSync(copy, { recursive: true })
  }
})
