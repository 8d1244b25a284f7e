import type { IncomingMessage } from 'node:http'
import type { Config } from '#fairway/server/kernel/config/config'
import { hostnameOf, isLoopbackHost } from '#fairway/shared/loopback'
import { AppError } from './app-error'

/** Throws `misdirected-request` for a request that was sent to a name which is none of ours; the port may be any. */
export function checkHost(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { allowedHosts }: Pick<Config, 'allowedHosts'>,
): void {
  if (allowedHosts === null) return
  const name = hostnameOf(headers.host)
  if (name !== undefined && (isLoopbackHost(name) || allowedHosts.has(name))) return
  throw new AppError('misdirected-request', {
    detail: 'Open it at its own address, or add this name to FW_ALLOWED_HOSTS.',
  })
}
