import { mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, it } from 'vitest'
import { changeEnvFile, withValues } from '#fairway/cli/change-file'

describe('withValues', () => {
  it('replaces assignments in place, keeps all other lines and appends missing names', () => {
    const before = '# mine\nA=1 # one\n\nexport KEY=old\n  B = "two"\n# KEY=comment\nKEY=again\n'
    expect(withValues(before, { KEY: 'new', MORE: 'x' })).toBe(
      `# mine\nA=1 # one\n\nKEY='new'\n  B = "two"\n# KEY=comment\nMORE='x'\n`,
    )
  })

  it('removes names and keeps the rest byte for byte, including Windows line endings', () => {
    expect(withValues('A=1\r\nKEY=old\r\nB=2', { KEY: null })).toBe('A=1\r\nB=2')
    expect(withValues('A=1\r\nB=2', { KEY: 'v' })).toBe(`A=1\r\nB=2\r\nKEY='v'\r\n`)
  })

  it('ignores assignments inside a multi-line value', () => {
    const before = 'PEM="-----BEGIN\nKEY=inside\n-----END"\nKEY=old\n'
    expect(withValues(before, { KEY: 'new' })).toBe(`PEM="-----BEGIN\nKEY=inside\n-----END"\nKEY='new'\n`)
  })

  it.each([`it's`, `say "hi"`, `a # b`, '$HOME', 'a\\nb', ' blanks ', 'x=y=z'])(
    'writes %s so that parsing returns the same value',
    value => {
      expect(parseEnv(withValues('A=1\n', { KEY: value }))).toEqual({ A: '1', KEY: value })
    },
  )

  it('throws for a value that contains a second assignment or cannot be quoted', () => {
    expect(() => withValues('', { KEY: 'a\nEVIL=1' })).toThrow()
    expect(() => withValues('', { KEY: `'"\`` })).toThrow()
  })
})

describe('changeEnvFile', () => {
  const folder = () => mkdtempSync(join(tmpdir(), 'fw-env-'))

  it('makes the file readable by its owner only and leaves no temporary files', async () => {
    const dir = folder()
    writeFileSync(join(dir, '.env'), 'A=1\n', { mode: 0o644 })
    await changeEnvFile(join(dir, '.env'), { KEY: 'v' })
    expect(statSync(join(dir, '.env')).mode & 0o777).toBe(0o600)
    expect(readdirSync(dir)).toEqual(['.env'])
  })

  it('writes through a symbolic link', async () => {
    const dir = folder()
    writeFileSync(join(dir, 'real'), 'A=1\n')
    symlinkSync(join(dir, 'real'), join(dir, '.env'))
    await changeEnvFile(join(dir, '.env'), { KEY: 'v' })
    expect(readFileSync(join(dir, 'real'), 'utf8')).toBe(`A=1\nKEY='v'\n`)
  })
})
