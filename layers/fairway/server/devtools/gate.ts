import type { IncomingMessage } from 'node:http'
import type { Config } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { isLoopbackPeer } from '#fairway/server/kernel/http/client-address'
import { isLoopbackAuthority } from '#fairway/shared/loopback'

/** What a proxy or a tunnel adds that brings requests of other machines; Nuxt's own names this machine in `x-forwarded-for`. */
const FORWARDED = ['forwarded', 'via', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip', 'x-original-host']
const OWN_SITES: readonly (string | undefined)[] = [undefined, 'same-origin', 'none']

/**
 * Lets requests of this machine's own browser through: they read rows and become people. Throws `forbidden`, with what is in the way,
 * for an exposed server, another machine, a tunnel, a name that was made to point here (DNS rebinding), and another site's page.
 */
export function checkOwnMachine(request: IncomingMessage, config: Pick<Config, 'isOwnMachine' | 'baseUrl'>): void {
  const refuse = (detail: string): never => {
    throw new AppError('forbidden', { detail })
  }
  const { headers } = request
  if (!config.isOwnMachine)
    refuse(
      'The server listens to others, or FW_DISABLE_AUTO_DEV_ACCOUNT is set. Start `nuxt dev` without `--host` or `--tunnel`.',
    )
  if (!isLoopbackPeer(request)) refuse('Open this on the machine that runs the development server.')
  const through = FORWARDED.find(name => headers[name] !== undefined)
  if (through) refuse(`The request came through a proxy or a tunnel (${through}). Open it at localhost.`)
  const hosts = [headers.host, ...[headers['x-forwarded-host'] ?? []].flat()]
  if (!hosts.every(host => isLoopbackAuthority(host)))
    refuse('Open this at localhost: other names may lead here from elsewhere.')
  const isForeign = headers.origin !== undefined && headers.origin !== config.baseUrl
  if (isForeign || !OWN_SITES.includes(headers['sec-fetch-site']?.toString()))
    refuse('Another site asks for this. Open it in a tab of its own.')
}
