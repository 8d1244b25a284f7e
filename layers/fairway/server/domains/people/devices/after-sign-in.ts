import type { App } from '#fairway/server/kernel/app-context'
import { inBackground } from '#fairway/server/kernel/background'
import { DEV_EMAIL } from '#fairway/server/kernel/config/config'
import { sendNewDeviceMail } from './new-device-mail'
import { noteDevice } from './note-device'
import { deviceInWords, readDevice } from './read-device'

export interface SignInFacts {
  userId: string
  email: string
  /** How the person proved who they are: `password`, `passkey`, `magic-link`, or the id of a provider. */
  provider: string
  ipAddress: string
  userAgent: string
}

/** What follows a sign-in without making it wait: the device is remembered, and its owner told when it is new. It never fails. */
export function afterSignIn(app: App, facts: SignInFacts): void {
  if (facts.provider === 'dev' || facts.email === DEV_EMAIL) return
  inBackground(app, 'after-sign-in', () => announceDevice(app, facts))
}

/** Remembers the device of a sign-in and mails when it is new for the account. */
export async function announceDevice(app: App, facts: SignInFacts): Promise<void> {
  const device = deviceInWords(await readDevice(facts.userAgent))
  const isNew = await noteDevice(app, facts.userId, device)
  if (isNew && app.mailer.isReady) await sendNewDeviceMail(app, { ...facts, to: facts.email, device })
}
