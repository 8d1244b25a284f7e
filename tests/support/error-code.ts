/** The stable error code of a problem response. */
export const codeOf = async (answer: Response): Promise<string> => (await answer.json()).code

/** The status and the stable error code of a problem response. */
export const statusAndCode = async (answer: Response): Promise<[status: number, code: string]> => [
  answer.status,
  await codeOf(answer),
]

/** The error code of failed work, ours or OAuth's; `done` when it succeeds, and the thrown value when that has no code. */
export const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    error => error.error ?? error.code ?? error,
  )
