/** The stable error code of a problem answer. */
export const codeOf = async (answer: Response): Promise<string> => (await answer.json()).code

/** The status and the stable error code of a problem answer. */
export const statusAndCode = async (answer: Response): Promise<[status: number, code: string]> => [
  answer.status,
  await codeOf(answer),
]

/** The code with which work is refused, ours or the one of OAuth; `done` when it is not, and what was thrown when that has no code. */
export const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    error => error.error ?? error.code ?? error,
  )
