import { z } from 'zod'
import { callPeer } from '#fairway/server/domains/peers'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'

/** Other applications that an author's code calls, by their names in `FW_PEERS`, in the name of its own caller. */
export interface ContextPeers {
  /**
   * The result of an action of another application. Throws `approval-required` with `{ url, approvalId }` when the person must
   * approve it there first, `peer-refused` with the other side's own code, and `peer-unavailable`. Nothing is tried twice.
   */
  call(peer: string, action: string, input?: object): Promise<unknown>
  /** The same, checked against a schema. */
  call<Output extends z.ZodType>(
    peer: string,
    action: string,
    input: object,
    options: { output: Output },
  ): Promise<z.output<Output>>
  /** The result of a call that had to be approved; throws `approval-required` while nobody has decided. */
  result(peer: string, approvalId: string): Promise<unknown>
  /** The same, checked against a schema. */
  result<Output extends z.ZodType>(
    peer: string,
    approvalId: string,
    options: { output: Output },
  ): Promise<z.output<Output>>
}

interface CallOptions {
  output?: z.ZodType
}

/** The applications that may be called on behalf of this session; the signal ends every call. */
export const contextPeers = (app: App, session: Session | null, signal: AbortSignal): ContextPeers => ({
  async call(peer: string, action: string, input: object = {}, { output }: CallOptions = {}) {
    return checked(peer, await callPeer(app, { peer, body: { action, input }, session, signal }), output)
  },
  async result(peer: string, approval: string, { output }: CallOptions = {}) {
    return checked(peer, await callPeer(app, { peer, body: { approval }, session, signal }), output)
  },
})

function checked(peer: string, answer: unknown, output: z.ZodType = z.unknown()) {
  const parsed = output.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new AppError('peer-unavailable', {
    extra: { peer },
    cause: `the answer of ${peer} does not fit: ${z.prettifyError(parsed.error)}`,
  })
}
