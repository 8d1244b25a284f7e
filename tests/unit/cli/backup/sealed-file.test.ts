import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isSealedFile, SealedFileError, sealFile, unsealFile } from '#fairway/cli/backup/sealed-file'

const PASSPHRASE = 'a passphrase of many words'
const PIECE = 64 * 1024
/** A low cost. With the default, each key takes half a second. */
const CHEAP = 4
let folder: string
const at = (name: string) => join(folder, name)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sealed-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function sealed(size: number): Promise<Buffer> {
  const bytes = randomBytes(size)
  await writeFile(at('plain'), bytes)
  await sealFile(at('plain'), at('sealed'), PASSPHRASE, CHEAP)
  return bytes
}

it.each([0, PIECE, PIECE + 1, 3 * PIECE + 17])('unsealFile returns the original %i bytes', async size => {
  const bytes = await sealed(size)
  expect([await isSealedFile(at('sealed')), await isSealedFile(at('plain'))]).toEqual([true, false])
  expect((await stat(at('sealed'))).mode & 0o777).toBe(0o600)
  await unsealFile(at('sealed'), at('opened'), PASSPHRASE)
  expect((await readFile(at('opened'))).equals(bytes)).toBe(true)
  expect((await stat(at('opened'))).mode & 0o777).toBe(0o600)
})

it('sealFile writes different bytes each time and reveals none of the content', async () => {
  await writeFile(at('plain'), 'ada@example.test '.repeat(1000))
  await sealFile(at('plain'), at('one'), PASSPHRASE, CHEAP)
  await sealFile(at('plain'), at('two'), PASSPHRASE)
  const [one, two] = [await readFile(at('one')), await readFile(at('two'))]
  // The cost follows the mark and the salt. The default is 2^17 rounds.
  expect([one[33], two[33]]).toEqual([CHEAP, 17])
  expect(one.equals(two)).toBe(false)
  expect(one.includes('example')).toBe(false)
})

it('unsealFile rejects another passphrase', async () => {
  await sealed(100)
  await expect(unsealFile(at('sealed'), at('opened'), `${PASSPHRASE}.`)).rejects.toThrow(SealedFileError)
})

it('unsealFile rejects a file with a changed byte, whether in the header, a piece or the end', async () => {
  await sealed(2 * PIECE + 10)
  const whole = await readFile(at('sealed'))
  for (const place of [0, 20, 40, PIECE, whole.length - 1]) {
    const changed = Buffer.from(whole)
    changed[place] = (changed[place] ?? 0) ^ 1
    await writeFile(at('changed'), changed)
    await expect(unsealFile(at('changed'), at(`opened-${place}`), PASSPHRASE), `byte ${place}`).rejects.toThrow()
  }
})

it('unsealFile rejects a file that was truncated between two pieces or whose pieces were swapped', async () => {
  await sealed(3 * PIECE)
  const whole = await readFile(at('sealed'))
  const head = 34
  const step = PIECE + 16
  const pieces = [0, 1, 2].map(index => whole.subarray(head + index * step, head + (index + 1) * step))
  const [first, second, third] = pieces as [Buffer, Buffer, Buffer]
  await writeFile(at('exchanged'), Buffer.concat([whole.subarray(0, head), second, first, third]))
  await expect(unsealFile(at('exchanged'), at('opened-1'), PASSPHRASE)).rejects.toThrow(SealedFileError)
  await truncate(at('sealed'), head + 2 * step)
  await expect(unsealFile(at('sealed'), at('opened-2'), PASSPHRASE)).rejects.toThrow(SealedFileError)
})

it('sealFile and unsealFile never overwrite an existing file', async () => {
  await sealed(10)
  await expect(sealFile(at('plain'), at('sealed'), PASSPHRASE, CHEAP)).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(unsealFile(at('sealed'), at('plain'), PASSPHRASE)).rejects.toMatchObject({ code: 'EEXIST' })
})
