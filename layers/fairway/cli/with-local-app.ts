import type { App } from '../server/kernel/app-context'
import { toAppError } from '../server/kernel/http/app-error'
import { openLocalApp } from './local-app'

// The command line goes to the application's folder before anything else (fw.mjs).
const root = process.cwd()

/** Runs a command of operators on this folder's database and ends with its exit code; what goes wrong is told in one line. */
export async function withLocalApp(work: (app: App) => Promise<number>): Promise<void> {
  try {
    const app = await openLocalApp(root)
    try {
      process.exitCode = await work(app)
    } finally {
      await app.db.close()
    }
  } catch (thrown) {
    const isConfig = thrown instanceof Error && thrown.name === 'ConfigError'
    process.stderr.write(`${isConfig ? thrown.message : toAppError(thrown).message}\n`)
    process.exitCode = 1
  }
}

/** Writes a line of progress over the last one, on terminals only. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}
