import { startCallbackServer } from '../callback-server'
import { changeEnvFile } from '../env-file'
import { openBrowser } from '../open-browser'
import { BUILDER_NAMES, parseCallback } from './builder-values'

export interface ConnectInput {
  appHost: string
  envFile: string
  timeoutInMs: number
  isDryRun: boolean
  say(line: string): void
}

const CLIENT = { host: 'fairway', client_id: 'Fairway' }

/** Lets the person connect a builder service in the browser and keeps what it gives in the environment file; throws a sentence. */
export async function connectBuilder({ appHost, envFile, timeoutInMs, isDryRun, say }: ConnectInput): Promise<void> {
  const names = Object.keys(BUILDER_NAMES).join(', ')
  if (isDryRun) {
    say(`Would open ${authorizeUrl(appHost, 'http://127.0.0.1:<port>/callback?state=<32 random bytes>')}`)
    say(`Would write ${names} to ${envFile}. Nothing was changed.`)
    return
  }
  const callback = await startCallbackServer(timeoutInMs)
  try {
    const url = authorizeUrl(appHost, callback.url)
    const isOpen = await openBrowser(url)
    say(
      isOpen
        ? 'Go on in the browser that has opened.'
        : `No browser could be opened. Open this address yourself:\n${url}`,
    )
    const values = parseCallback(await callback.received)
    await changeEnvFile(envFile, values)
    const organization = values.BUILDER_ORG_NAME ? ` to ${values.BUILDER_ORG_NAME}` : ''
    say(`Connected${organization}. ${envFile} holds the keys, for its owner only. Restart the application to use them.`)
  } finally {
    await callback.close()
  }
}

function authorizeUrl(appHost: string, redirectUrl: string): string {
  const query = new URLSearchParams({ response_type: 'code', ...CLIENT, redirect_url: redirectUrl })
  return `${appHost}/cli-auth?${query}`
}
