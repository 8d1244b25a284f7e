/** Why the program cannot start, as a sentence for whoever started it. */
export class ProgramFault extends Error {
  override readonly name = 'ProgramFault'
}
