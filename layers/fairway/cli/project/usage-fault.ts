/** Something that the person at the command line can put right; its message is all they need. */
export class UsageFault extends Error {}

export const CANCELLED = 'Cancelled; nothing was changed.'

/** Tells why a command ends, in a line, and gives its exit code: 2 for a wrong question, 1 for what did not work. */
export function tellFailure(thrown: unknown): number {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`)
  return thrown instanceof UsageFault ? 2 : 1
}
