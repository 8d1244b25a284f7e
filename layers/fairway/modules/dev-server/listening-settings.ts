import { isLoopbackHost } from '../../shared/loopback'

/** Where the development server listens, as Nuxt's command line tells it. */
export interface Listening {
  address: { address: string; port: number }
  https: unknown
  urls: { url: string; type: string }[]
}

/** Whether others than the programs of this machine can reach it. */
export const isExposed = ({ address: { address }, urls }: Listening): boolean =>
  !isLoopbackHost(address.includes(':') ? `[${address}]` : address) || urls.some(({ type }) => type === 'tunnel')

/** The settings that follow from where the server listens, beside those that the environment has already. */
export function listeningSettings(listening: Listening, env: NodeJS.Dict<string>): Record<string, string> {
  const { address, https, urls } = listening
  const settings = {
    PORT: String(address.port),
    FW_BASE_URL: env.FW_BASE_URL ?? `${https ? 'https' : 'http'}://localhost:${address.port}`,
  }
  if (!isExposed(listening)) return settings
  // What was asked for by name is no name that a stranger made.
  const asked = urls.filter(({ type }) => type !== 'local').map(({ url }) => new URL(url).hostname)
  const names = [...(env.FW_ALLOWED_HOSTS ?? '').split(','), ...asked].filter(Boolean)
  return {
    ...settings,
    FW_ALLOWED_HOSTS: [...new Set(names)].join(','),
    // A development account must never be offered to the network.
    FW_DISABLE_AUTO_DEV_ACCOUNT: '1',
  }
}
