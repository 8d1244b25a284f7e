import { z } from 'zod'
import { AppError, PROBLEM_MEDIA_TYPE } from '#fairway/server/kernel/http/app-error'
import { jsonOf } from '#fairway/server/kernel/declaration'
import { A2A_APPROVALS_PATH } from '#fairway/shared/paths'
import { problemSchema } from '#fairway/shared/schemas/problem'

/** What another application answered, read to its end. */
export interface PeerAnswer {
  status: number
  /** Without parameters, in lower case. */
  mediaType: string
  text: string
}

interface AnsweringPeer {
  peer: string
  origin: string
}

const MOST_CHARACTERS = 300

const resultSchema = z.looseObject({ result: z.unknown().refine(value => value !== undefined) })
const approvalSchema = z.object({
  approval: z.object({ id: z.string().min(16).max(200), url: z.string().max(2048), expiresAt: z.iso.datetime() }),
})

/** The result in an answer; throws `approval-required`, `peer-refused` or `peer-unavailable` for every other one. */
export function readPeerAnswer(from: AnsweringPeer, answer: PeerAnswer): unknown {
  const { status } = answer
  const body = bodyOf(answer)
  if (status === 200) {
    const parsed = resultSchema.safeParse(body)
    if (parsed.success) return parsed.data.result
  }
  if (status === 202) throw approvalRequired(from, body)
  const problem = problemSchema.safeParse(body)
  if (status >= 400 && problem.success) throw refusal(from, status, problem.data)
  throw unavailable(from, `it answered ${status} with something else than we speak`)
}

const bodyOf = ({ mediaType, text }: PeerAnswer): unknown =>
  mediaType === 'application/json' || mediaType === PROBLEM_MEDIA_TYPE ? jsonOf(text) : undefined

// Nobody is sent anywhere but to the page of that very application.
function approvalRequired({ peer, origin }: AnsweringPeer, body: unknown): AppError {
  const parsed = approvalSchema.safeParse(body)
  const { id, url, expiresAt } = parsed.data?.approval ?? {}
  const page = url && URL.canParse(url) ? new URL(url) : undefined
  if (page?.origin !== origin || !page.pathname.startsWith(`${A2A_APPROVALS_PATH}/`)) {
    return unavailable({ peer }, 'it asks for an approval somewhere else')
  }
  const detail = `Decide at ${page.href}`
  return new AppError('approval-required', { detail, extra: { peer, url: page.href, approvalId: id, expiresAt } })
}

/** What went wrong inside of the other application is not known to have changed nothing, and is told as its absence. */
function refusal(
  { peer }: AnsweringPeer,
  status: number,
  { code, title, detail, errors }: z.infer<typeof problemSchema>,
): AppError {
  const extra = { peer, peerCode: code.slice(0, MOST_CHARACTERS) }
  if (status >= 500) return new AppError('peer-unavailable', { extra, cause: `it answered ${status}` })
  return new AppError('peer-refused', { detail: (detail ?? title).slice(0, MOST_CHARACTERS), errors, extra })
}

const unavailable = ({ peer }: Pick<AnsweringPeer, 'peer'>, cause: string): AppError =>
  new AppError('peer-unavailable', { extra: { peer }, cause })
