// How commands speak with the person at the terminal, and how they end.

/** Writes a line to standard output. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Writes what to do next, and gives the exit code of a command that worked. */
export function sayNext(steps: readonly string[]): number {
  say(`Next:\n${steps.map(step => `  ${step}`).join('\n')}`)
  return 0
}

/** Writes a line of progress over the last one, on terminals only. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}

/** Whether a person can be asked. */
export const isAtTerminal = (): boolean => process.stdin.isTTY && process.stdout.isTTY

/** Something that the person at the command line can put right; its message is all they need. */
export class UsageFault extends Error {}

export const CANCELLED = 'Cancelled; nothing was changed.'

/** Tells why a command ends, in a line without a stack, and gives its exit code: 2 for a wrong question, 1 for what did not work. */
export function tellFailure(thrown: unknown, code = thrown instanceof UsageFault ? 2 : 1): number {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`)
  return code
}

/** Does the work of a command and ends it with the exit code that the work gives, or `tell` where the work throws. */
export async function endWith(
  work: () => Promise<number>,
  tell: (thrown: unknown) => number = thrown => tellFailure(thrown),
): Promise<void> {
  process.exitCode = await work().catch(tell)
}
