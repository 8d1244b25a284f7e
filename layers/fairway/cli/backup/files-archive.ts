// Stores the files of a backup in one archive in the tar format (POSIX ustar), so that other programs can open it too.
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { HELD } from '../../server/domains/files/disk-storage'

const BLOCK = 512
/** Matches complete files; files that are still being written have another suffix. */
const NAME = /^[\da-f]{2}\/[\da-f-]{36}$/

/** Yields the archive of all files of a folder as bytes. */
export async function* archiveOf(folder: string): AsyncGenerator<Buffer> {
  for (const name of await namesIn(folder)) {
    const { size, mtimeMs } = await stat(join(folder, name))
    yield headOf(name, size, mtimeMs)
    for await (const chunk of createReadStream(join(folder, name)) as AsyncIterable<Buffer>) yield chunk
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
  }
  yield Buffer.alloc(2 * BLOCK)
}

/**
 * Runs the work while no server deletes files of this folder: the copied files must include all files that the copied database
 * names.
 */
export async function holdingFiles<T>(folder: string | undefined, work: () => Promise<T>): Promise<T> {
  if (folder === undefined) return work()
  await writeFile(join(folder, HELD), '')
  try {
    return await work()
  } finally {
    await rm(join(folder, HELD), { force: true })
  }
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = []
  for (const part of await readdir(folder))
    if (/^[\da-f]{2}$/.test(part)) names.push(...(await readdir(join(folder, part))).map(name => `${part}/${name}`))
  return names.filter(name => NAME.test(name))
}

function headOf(name: string, size: number, mtimeMs: number): Buffer {
  const head = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, length: number) =>
    head.write(
      `${Math.floor(value)
        .toString(8)
        .padStart(length - 1, '0')}\0`,
      at,
      'ascii',
    )
  head.write(name, 0, 'ascii')
  octal(0o600, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  // Eleven octal digits end at 8 GiB; larger sizes are written in binary (GNU tar).
  if (size < 8 ** 11) octal(size, 124, 12)
  else {
    head.writeUInt8(0x80, 124)
    head.writeBigUInt64BE(BigInt(size), 128)
  }
  octal(mtimeMs / 1000, 136, 12)
  head.write('        0', 148, 'ascii')
  head.write('ustar\u000000', 257, 'ascii')
  head.write(
    `${head
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
    'ascii',
  )
  return head
}

interface Entry {
  name: string
  size: number
  /** The offset of its bytes in the archive. */
  at: number
}

/** Yields the entries of an archive; throws for an invalid or truncated archive. */
export async function* entriesOf(path: string): AsyncGenerator<Entry> {
  const file = await open(path)
  try {
    const { size: all } = await file.stat()
    for (let at = 0; ;) {
      const { buffer: head, bytesRead } = await file.read(Buffer.alloc(BLOCK), 0, BLOCK, at)
      if (bytesRead === BLOCK && head.every(byte => byte === 0)) return
      const name = head.toString('ascii', 0, 100).replace(/\0.*$/s, '')
      const isLarge = head[124] === 0x80
      const size = isLarge ? Number(head.readBigUInt64BE(128)) : Number.parseInt(head.toString('ascii', 124, 135), 8)
      if (!NAME.test(name) || !(at + BLOCK + size <= all)) throw new Error(`${path} is no whole archive of files.`)
      yield { name, size, at: at + BLOCK }
      at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
    }
  } finally {
    await file.close()
  }
}

/**
 * Extracts an archive into a folder; skips existing files, because they have the same content. Returns the number of files in the
 * archive.
 */
export async function extractFiles(path: string, folder: string): Promise<number> {
  let count = 0
  for await (const { name, size, at } of entriesOf(path)) {
    count += 1
    const to = join(folder, name)
    if (existsSync(to)) continue
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    const bytes = size === 0 ? [] : createReadStream(path, { start: at, end: at + size - 1 })
    await pipeline(bytes, createWriteStream(`${to}.part`, { mode: 0o600, flush: true }))
    await rename(`${to}.part`, to)
  }
  return count
}
