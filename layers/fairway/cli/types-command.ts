import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { defineCommand } from 'citty'
import { applicationDir, platformDir } from '../modules/registry/roots'
import { endWith, say, UsageFault } from './terminal'

/** `fw types`: checks the types of the application; ends with 1 where there are errors. */
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
 * What the compiler says of a project and all that its tsconfig.json refers to, each error once, and its exit code. Pages name the
 * types of actions, so the files of the server are part of both parts' programs, and the compiler tells an error in each.
 */
export async function checkTypes(root: string): Promise<{ errors: string[]; code: number }> {
  const { code, output } = await runCompiler(root)
  const errors = eachOnce(output)
  return { errors, code: code ?? 1 }
}

const PLACED = /^(.+\(\d+,\d+\): error TS\d+)/

function eachOnce(output: string): string[] {
  const found = new Map<string, string>()
  for (const error of output.trim().split(/\n(?! )/)) {
    // One place may read a little differently in another part, so the place and the code say what is the same.
    const key = PLACED.exec(error)?.[1] ?? error
    if (error !== '' && !found.has(key)) found.set(key, error)
  }
  return [...found.values()]
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

/** The project's own compiler, or the one that came with the platform where packages see only what they name themselves. */
function compilerOf(root: string): string {
  for (const home of [root, platformDir]) {
    try {
      return createRequire(join(home, 'package.json')).resolve('vue-tsc/bin/vue-tsc.js')
    } catch {
      // Not there: the next one.
    }
  }
  throw new UsageFault('The compiler is not installed. Run `npm install` first.')
}
