import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { DesktopHost } from '../host'

/** Preferences in one JSON file, written whole; a file that is missing or broken counts as empty. */
export function createFilePreferences(file: string): DesktopHost['preferences'] {
  const held = { last: Promise.resolve() }
  const read = async () => {
    const text = await readFile(file, 'utf8').catch(() => '{}')
    return z.record(z.string(), z.unknown()).safeParse(jsonOf(text)).data ?? {}
  }
  const write = async (key: string, value: unknown) => {
    const text = JSON.stringify({ ...(await read()), [key]: value }, null, 2)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(`${file}.new`, `${text}\n`, { mode: 0o600 })
    await rename(`${file}.new`, file)
  }
  return {
    async get(key) {
      await held.last.catch(() => undefined)
      return (await read())[key]
    },
    set(key, value) {
      held.last = held.last.catch(() => undefined).then(() => write(key, value))
      return held.last
    },
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
