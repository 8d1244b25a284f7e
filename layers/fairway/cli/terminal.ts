// How commands write to the terminal, and how they exit.
import { faultLines, toAppError } from '../server/kernel/http/app-error'

/** Writes a line to standard output. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Prints the next steps, and returns the exit code of a successful command. */
export function sayNext(steps: readonly string[]): number {
  say(`Next:\n${steps.map(step => `  ${step}`).join('\n')}`)
  return 0
}

/** Replaces the previous progress line, on terminals only. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}

/** Whether the terminal is interactive. */
export const isAtTerminal = (): boolean => process.stdin.isTTY && process.stdout.isTTY

/** An error that the person at the command line can fix; its message is all they need. */
export class UsageFault extends Error {}

export const CANCELLED = 'Cancelled; nothing was changed.'

/**
 * Prints the reason of an error in one line without a stack, and returns its exit code: 2 for wrong usage, 1 for other failures.
 */
export function tellFailure(thrown: unknown, code = thrown instanceof UsageFault ? 2 : 1): number {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`)
  return code
}

/** Runs a command and exits with the exit code that the work returns, or that `tell` returns when the work throws. */
export async function endWith(
  work: () => Promise<number>,
  tell: (thrown: unknown) => number = thrown => tellFailure(thrown),
): Promise<void> {
  process.exitCode = await work().catch(tell)
}

/** Prints an error of the application with a line for each invalid value, and returns the exit code. */
export function tellLocalFailure(thrown: unknown): number {
  if (isConfigError(thrown)) return tellFailure(thrown)
  const error = toAppError(thrown)
  return tellFailure(new Error([error.message, ...faultLines(error.errors)].join('\n')))
}

/** Whether the settings cannot be read. */
export const isConfigError = (thrown: unknown): thrown is Error =>
  thrown instanceof Error && thrown.name === 'ConfigError'
