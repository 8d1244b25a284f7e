import type { App } from '#fairway/server/kernel/app-context'
import { DEVICES_PAGE } from '#fairway/shared/paths'
import { mailContent } from '../../../kernel/mail/render-mail'
import { queueMail } from '../../../kernel/mail/queue-mail'

export interface NewDeviceMail {
  to: string
  /** In words, for example “Firefox on Windows”. */
  device: string
  ipAddress: string
  /** How the person proved who they are: `password`, `passkey`, `magic-link`, or the id of a provider. */
  provider: string
}

const methods: Record<string, string> = {
  password: 'by password',
  passkey: 'by passkey',
  'magic-link': 'by a link sent to this address',
  google: 'with Google',
  github: 'with GitHub',
  hub: 'through the identity hub',
}

/** Tells a person that their account was used on a device it was never used on. */
export async function sendNewDeviceMail(app: App, { to, device, ipAddress, provider }: NewDeviceMail): Promise<void> {
  const { baseUrl, signInProviders } = app.config
  const providerName = signInProviders.find(({ id }) => id === provider)?.name
  const how = providerName ? `with ${providerName}` : (methods[provider] ?? `with ${provider}`)
  const values = { when: inWords(app.now()), device, address: ipAddress || 'not known', how }
  await queueMail(app, to, mailContent(app, 'new-device', { values, href: baseUrl + DEVICES_PAGE }))
}

const inWords = (time: Date): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(time)} UTC`
