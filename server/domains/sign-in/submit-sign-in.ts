import type { H3Event } from 'h3'
import { ensureDevAccount, devAccountState, rememberDevSignOut } from '#server/domains/accounts'
import { mintSession } from '#server/domains/auth-library'
import { getApp, type App } from '#server/foundation/app-context'
import { DEV_EMAIL } from '#server/foundation/config/config'
import { AppError } from '#server/foundation/http/app-error'
import { isLoopbackPeer } from '#server/foundation/http/client-address'
import { parseInput } from '#server/foundation/http/parse-input'
import { readVisitor } from '#server/foundation/http/visitor'
import { signIn, signInSchema, signUp, signUpSchema } from './password-sign-in'
import { startProvider } from './provider-sign-in'

export type SignInForm = Record<string, string>

export interface SubmittedSignIn {
  setCookies: string[]
  /** Where a provider wants the browser next; the return path is meant when there is none. */
  location?: string
}

/** Carries out what the posted form asks for and gives the cookies to set; throws what the page then shows. */
export async function submitSignIn(event: H3Event, form: SignInForm, returnPath: string): Promise<SubmittedSignIn> {
  const app = getApp(event)
  if (form.intent === 'dev') return { setCookies: [await signInDev(event, app)] }
  const visitor = readVisitor(event)
  if (form.provider) {
    const { body, setCookies } = await startProvider(app, { provider: form.provider, callbackURL: returnPath }, visitor)
    return { setCookies, location: String(body.url) }
  }
  const answer =
    form.intent === 'sign-up'
      ? await signUp(app, parseInput(signUpSchema, form), visitor)
      : await signIn(app, parseInput(signInSchema, form), visitor)
  return { setCookies: answer.setCookies }
}

/** Signs the development account in without being asked, while the database is fresh and the visitor is on this machine; undefined otherwise. */
export async function signInDevOnFirstUse(event: H3Event): Promise<string | undefined> {
  const app = getApp(event)
  if (!isLoopbackPeer(event.node.req) || (await devAccountState(app)) !== 'automatic') return undefined
  const cookie = await mintDevSession(event, app)
  app.log.info('signed in as the development account on first use')
  return cookie
}

async function signInDev(event: H3Event, app: App): Promise<string> {
  const isOffered = isLoopbackPeer(event.node.req) && (await devAccountState(app)) !== 'off'
  if (!isOffered) throw new AppError('dev-account-refused')
  return mintDevSession(event, app)
}

async function mintDevSession(event: H3Event, app: App): Promise<string> {
  const userId = await ensureDevAccount(app)
  await rememberDevSignOut(app, userId, false)
  const { clientAddress, userAgent } = readVisitor(event)
  return mintSession(app, { userId, email: DEV_EMAIL, provider: 'dev', ipAddress: clientAddress, userAgent })
}
