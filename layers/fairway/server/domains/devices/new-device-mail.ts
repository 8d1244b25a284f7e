import { queueMail } from '#fairway/server/domains/mail'
import type { App } from '#fairway/server/foundation/app-context'
import { DEVICES_PAGE } from '#fairway/shared/paths'

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
  const { name, baseUrl, signInProviders } = app.config
  const providerName = signInProviders.find(({ id }) => id === provider)?.name
  const method = providerName ? `with ${providerName}` : (methods[provider] ?? `with ${provider}`)
  await queueMail(app, to, {
    subject: `New sign-in to ${name}`,
    lines: [
      `Somebody signed in to your account at ${name} on a device that was not used for it before.`,
      `When: ${inWords(app.now())}`,
      `Device: ${device}`,
      `Address: ${ipAddress || 'not known'}`,
      `How: ${method}`,
      'If this was you, there is nothing to do. If it was not you, end that session and change your password.',
    ],
    action: { label: 'Look at my devices', href: baseUrl + DEVICES_PAGE },
    notes: [],
  })
}

const inWords = (time: Date): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(time)} UTC`
