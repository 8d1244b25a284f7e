import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { defineCommand } from 'citty'
import { applicationDir, platformDir } from '../modules/registry/roots'
import { endWith, say, UsageFault } from './terminal'

/** `fw types`: checks the types of the application; exits with 1 when there are errors. */
export const typesCommand = defineCommand({
  meta: { name: 'types', description: 'Check the types of this application, and tell each error once.' },
  run: () => endWith(() => tellTypes(applicationDir())),
})

async function tellTypes(root: string): Promise<number> {
  const { errors, code } = await checkTypes(root)
  for (const error of errors) say(error)
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
  say(errors.length === 0 && code === 0 ? 'The types hold.' : `${count}.`)
  return code
}

/**
 * Returns the compiler's errors for a project and everything that its tsconfig.json refers to, each error once, and the exit
 * code. Pages name the types of actions, so the programs of both parts contain the server's files, and the compiler reports their
 * errors twice.
 */
export async function checkTypes(root: string): Promise<{ errors: string[]; code: number }> {
  const { code, output } = await runCompiler(root)
  const errors = eachOnce(output)
  return { errors, code: code ?? 1 }
}

const PLACED = /^(.+\(\d+,\d+\): error TS\d+)/

function eachOnce(output: string): string[] {
  const errors = new Map<string, string>()
  for (const error of output.trim().split(/\n(?! )/)) {
    // The message of an error can differ between the parts, so its position and code identify it.
    const key = PLACED.exec(error)?.[1] ?? error
    if (error !== '' && !errors.has(key)) errors.set(key, error)
  }
  return [...errors.values()]
}

function runCompiler(root: string): Promise<{ code: number | null; output: string }> {
  const args = [compilerOf(root), '-b', '--noEmit', '--pretty', 'false']
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += String(chunk)))
    child.once('error', reject)
    child.once('close', code => resolve({ code, output }))
  })
}

/** Returns the project's own compiler, or the platform's where packages can only see their direct dependencies. */
function compilerOf(root: string): string {
  for (const home of [root, platformDir]) {
    try {
      return createRequire(join(home, 'package.json')).resolve('vue-tsc/bin/vue-tsc.js')
    } catch {
      // Not found: try the next one.
    }
  }
  throw new UsageFault('The compiler is not installed. Run `npm install` first.')
}
