import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { takeStart } from '../../../src/program/one-start'

function aFolder() {
  const folder = join(mkdtempSync(join(tmpdir(), 'fw-start-')), 'hub')
  mkdirSync(folder)
  return folder
}

it('takeStart lets only the first start run and notifies it of every other start', async () => {
  const folder = aFolder()
  const calls: string[] = []
  const first = await takeStart(folder, () => calls.push('again'))
  const others = await Promise.all(Array.from({ length: 5 }, () => takeStart(folder, () => calls.push('wrong'))))
  expect(others).toEqual(Array.from({ length: 5 }))
  expect(calls).toEqual(Array.from({ length: 5 }, () => 'again'))
  await first?.release()
})

it('takeStart allows the next start after the first ends, and one start per folder', async () => {
  const folder = aFolder()
  const first = await takeStart(folder, () => undefined)
  const elsewhere = await takeStart(aFolder(), () => undefined)
  expect(elsewhere).toBeDefined()
  await Promise.all([first?.release(), elsewhere?.release()])
  const second = await takeStart(folder, () => undefined)
  expect(second).toBeDefined()
  await second?.release()
})

it('takeStart lets exactly one start replace a killed program', async () => {
  const folder = aFolder()
  const first = await takeStart(folder, () => undefined)
  const [name = ''] = readdirSync(join(folder, '..')).filter(file => file.endsWith('.sock'))
  await first?.release()
  const path = join(folder, '..', name)
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.stdout.write('ready'))`
  const killed = spawn(process.execPath, ['-e', script])
  await once(killed.stdout, 'data')
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  expect(readdirSync(join(folder, '..'))).toContain(name)
  const starts = await Promise.all(Array.from({ length: 5 }, () => takeStart(folder, () => undefined)))
  const taken = starts.filter(start => start !== undefined)
  expect(taken).toHaveLength(1)
  await taken[0]?.release()
  expect(readdirSync(join(folder, '..'))).toEqual(['hub'])
})
