// Apart from send-json, because the first page opens no stream and deletes nothing.
import { ActionFailure } from './action-failure'
import { toFailure, unreached } from './send-json'

/** Opens a GET response of our own server for streaming. Throws ActionFailure unless it is successful. */
export async function openStream(path: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(path, { cache: 'no-store', signal }).catch(unreached)
  if (response.ok) return response
  throw toFailure(await response.json().catch((): unknown => undefined), response)
}

/** For the `catch` of a deletion: ignores a failure because the row is already deleted. Throws everything else. */
export function unlessGone(thrown: unknown): void {
  const isGone = thrown instanceof ActionFailure && thrown.status === 404 && thrown.code !== 'no-such-organization'
  if (!isGone) throw thrown
}
