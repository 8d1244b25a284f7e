import { copyFile, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { randomBytes } from 'node:crypto'
import { parseEnv } from 'node:util'

interface FileChange {
  isChanged: boolean
  /** The path of the backup of the previous file; undefined when there was none. */
  backup?: string
}

/**
 * Changes a text file atomically, keeps its permissions and a backup of the previous file; writes nothing when the text stays the
 * same.
 */
export async function changeFile(path: string, change: (text: string) => string, now: Date): Promise<FileChange> {
  const target = await realpath(path).catch(() => path)
  const before = await readIfThere(target)
  const after = change(before ?? '')
  if (after === before) return { isChanged: false }
  await mkdir(dirname(target), { recursive: true })
  const mode = before === undefined ? 0o600 : (await stat(target)).mode & 0o777
  const backup = before === undefined ? undefined : `${target}.${stamp(now)}.bak`
  if (backup) await copyFile(target, backup)
  await replaceFile(target, after, mode)
  return { isChanged: true, backup }
}

const stamp = (now: Date): string => now.toISOString().replaceAll(/[-:]|\.\d+/g, '')

const readIfThere = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })

/** Replaces a file atomically, with this mode; after an error the old file is unchanged and no temporary file remains. */
export async function replaceFile(path: string, text: string, mode = 0o600): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const file = await open(draft, 'wx', mode)
    await file.writeFile(text)
    await file.sync()
    await file.close()
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

const ASSIGNMENT = /^[^\S\n]*(?:export\s+)?([A-Za-z_][\w.]*)\s*=[^\S\n]*(["'`])?/

interface Entry {
  /** The name that it assigns; undefined for comments and blank lines. */
  name?: string
  /** Its text, including line ends. */
  text: string
}

/**
 * Returns the text of an environment file with these values set (null removes a name); every other line stays as it is, byte for
 * byte.
 */
export function withValues(text: string, values: Readonly<Record<string, string | null>>): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const waiting = new Map(Object.entries(values))
  const entries = toEntries(text).map(entry => {
    if (entry.name === undefined || !Object.hasOwn(values, entry.name)) return entry.text
    const value = waiting.get(entry.name) ?? null
    // A duplicate name keeps only its first place.
    waiting.delete(entry.name)
    return value === null ? '' : `${entry.name}=${quoted(value)}${newline}`
  })
  const added = [...waiting].flatMap(([name, value]) => (value === null ? [] : [`${name}=${quoted(value)}${newline}`]))
  const body = entries.join('')
  const gap = added.length > 0 && body !== '' && !body.endsWith('\n') ? newline : ''
  return checked(body + gap + added.join(''), values)
}

/** Changes these values in an environment file and replaces the file atomically, readable by its owner only. */
export async function changeEnvFile(path: string, values: Readonly<Record<string, string | null>>): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const before = (await readIfThere(target)) ?? ''
  const after = withValues(before, values)
  if (after === '' && before === '') return
  await replaceFile(target, after)
}

/** Returns the values in an environment file; empty when there is no file. */
export async function readEnvFile(path: string): Promise<NodeJS.Dict<string>> {
  return parseEnv((await readIfThere(path)) ?? '')
}

// A quoted value may span several lines, and these may look like assignments.
function toEntries(text: string): Entry[] {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const entries: Entry[] = []
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [head = '', name, quote] = ASSIGNMENT.exec(line) ?? []
    let entry = line
    if (quote && !line.includes(quote, head.length)) {
      const end = lines.findIndex(next => next.includes(quote))
      if (end !== -1) entry += lines.splice(0, end + 1).join('')
    }
    entries.push({ name, text: entry })
  }
  return entries
}

function quoted(value: string): string {
  const quote = [`'`, '"', '`'].find(sign => !value.includes(sign))
  if (!quote || /[\r\n]/.test(value)) throw new Error('a value cannot be written to an environment file')
  return quote + value + quote
}

function checked(text: string, values: Readonly<Record<string, string | null>>): string {
  const read = parseEnv(text)
  const isRight = Object.entries(values).every(([name, value]) => (read[name] ?? null) === value)
  if (!isRight) throw new Error('the environment file has a line that cannot be read; nothing was changed')
  return text
}
