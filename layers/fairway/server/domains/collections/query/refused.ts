import { AppError } from '#fairway/server/kernel/http/app-error'

/** The refusal of one query parameter; the sentence is the answer's `detail`. */
export const refused = (name: string, detail: string): AppError =>
  new AppError('invalid-input', { detail, errors: [{ path: name, message: detail }] })
