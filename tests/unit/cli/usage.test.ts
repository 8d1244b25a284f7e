import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { completionScript } from '#fairway/cli/completion'
import { commandLine } from '#fairway/cli/main'
import { checkArguments, findCommand } from '#fairway/cli/usage'
import { VERSION } from '#fairway/shared/package'
import { sampleDir } from '../../../scripts/sample.mjs'
import { FW_PROGRAM } from '../../support/fw'

/** Runs `fw` in the sample. */
function fw(...args: string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [FW_PROGRAM, ...args], { cwd: sampleDir })
  return { out: String(stdout), err: String(stderr), code: status }
}

/** Checks a line without running its command; returns the refusal. */
async function check(line: string): Promise<string | undefined> {
  try {
    await checkArguments(await findCommand(commandLine(), line.split(' ')))
    return undefined
  } catch (error) {
    return String(error)
  }
}

describe('arguments of fw', () => {
  it.each([
    ['doctor --onli mail', '`fw doctor` has no option --onli. Did you mean --only? Run `fw help doctor`.'],
    ['new x --no-instal', '`fw new` has no option --no-instal. Did you mean --no-install? Run `fw help new`.'],
    ['generate role a --force', '`fw generate role` has no option --force. Run `fw help generate role`.'],
    ['desktop --workspac x', '`fw desktop` has no option --workspac. Did you mean --workspace? Run `fw help desktop`.'],
    ['doctor --no-only', '`fw doctor` has no option --no-only. Run `fw help doctor`.'],
    ['bakup', 'There is no command `fw bakup`. Did you mean backup? `fw help` lists the commands.'],
    [
      'generate resorce x',
      'There is no command `fw generate resorce`. Did you mean resource? `fw help generate` lists',
    ],
    ['toString', 'There is no command `fw toString`. `fw help` lists the commands.'],
    ['doctor mail', 'Unexpected argument: mail. Run `fw help doctor`.'],
    ['restore', '`fw restore` needs <file>. Run `fw help restore`.'],
    ['webhooks replay 1', '`fw webhooks replay` needs --since. Run `fw help webhooks replay`.'],
    ['doctor --only', '--only needs a value. Run `fw help doctor`.'],
  ])('%s is refused', async (line, refusal) => {
    expect(await check(line)).toContain(`Error: ${refusal}`)
  })

  it.each([
    'doctor --only mail --json',
    'doctor --only=mail',
    'new my-app --no-install --no-git --dryRun',
    'generate resource deal title:text value:number --org',
    'generate role curator reader',
    'desktop --workspace x open',
    'jobs run nightly {} --at localhost:1',
    'desktop --browser-args --no-first-run',
  ])('%s is accepted', async line => {
    expect(await check(line)).toBeUndefined()
  })
})

describe('fw', () => {
  it('exits with 2 and one line on standard error for wrong usage', () => {
    expect(fw('doctor', '--onli', 'mail')).toEqual({
      code: 2,
      out: '',
      err: '`fw doctor` has no option --onli. Did you mean --only? Run `fw help doctor`.\n',
    })
    expect(fw('generate')).toEqual({
      code: 2,
      out: expect.stringContaining('USAGE fw generate resource|field'),
      err: 'Name a command behind `fw generate`.\n',
    })
  })

  it('--version prints the version of the package', () => {
    expect(fw('--version')).toEqual({ code: 0, out: `${VERSION}\n`, err: '' })
  })

  it('help prints the same text as --help', () => {
    expect(fw('help').out).toBe(fw('--help').out)
    const resource = fw('help', 'generate', 'resource')
    expect(resource).toEqual(fw('generate', 'resource', '--help'))
    expect(resource).toMatchObject({
      code: 0,
      out: expect.stringContaining('USAGE fw generate resource [OPTIONS] <NAME>'),
    })
    expect(fw('help', 'action', 'create-note').out).toContain('--title <string>  One line')
    expect(fw('help', 'doctor', 'mail')).toMatchObject({ code: 2, err: 'There is no command `fw doctor mail`.\n' })
  })

  it('action suggests the name of an action and its options', () => {
    expect(fw('action', 'crate-note')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean create-note?'),
    })
    expect(fw('action', 'create-note', '--tittle', 'x')).toMatchObject({
      code: 2,
      err: 'The action create-note has no input tittle. Did you mean --title? Run `fw action create-note --help`.\n',
    })
  })
})

describe('fw completion', () => {
  /** A folder with a program `fw`, as npm links it. */
  const bin = mkdtempSync(join(tmpdir(), 'fw-bin-'))
  symlinkSync(FW_PROGRAM, join(bin, 'fw'))
  const env = { HOME: bin, PATH: `${bin}:${join(process.execPath, '..')}:/usr/local/bin:/usr/bin:/bin` }
  const isThere = (shell: string) => ['/bin', '/usr/bin', '/usr/local/bin'].some(dir => existsSync(join(dir, shell)))
  const inShell = (shell: string, script: string) => {
    const { stdout, stderr } = spawnSync(shell, ['-c', script], { cwd: sampleDir, env })
    expect(String(stderr)).toBe('')
    return String(stdout).trim().split('\n')
  }

  it.skipIf(!isThere('bash'))('completes commands, options and actions in bash', () => {
    const lines = [
      'fw b',
      'fw generate r',
      'fw jobs --at x list --st',
      'fw generate resource --o',
      'fw action create-',
      'fw zz',
    ]
    const tries = lines.map(
      line => `COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _fw; echo "\${COMPREPLY[*]}"`,
    )
    const found = inShell('bash', ['source <(fw completion bash)', ...tries, 'complete -p fw'].join('\n'))
    expect(found).toEqual([
      'backup builder',
      'resource role',
      '--state',
      '--org',
      'create-note',
      '',
      'complete -o default -F _fw fw',
    ])
  })

  it.skipIf(!isThere('fish'))('completes commands, options and actions in fish', () => {
    const lines = ['fw b', 'fw generate r', 'fw jobs list --st', 'fw action create-']
    const found = inShell(
      'fish',
      ['fw completion fish | source', ...lines.map(line => `complete -C "${line}"`)].join('\n'),
    )
    const words = ['backup', 'builder', 'resource', 'role', '--state', 'create-note']
    expect(found.map(line => line.split('\t')[0])).toEqual(words)
  })

  it.skipIf(!isThere('zsh'))('writes a script that zsh can parse', async () => {
    const { stderr, status } = spawnSync('zsh', ['-n'], { input: await completionScript('zsh', commandLine()) })
    expect([status, String(stderr)]).toEqual([0, ''])
  })
})
