// The sections of the sign-in page: which there are, and which one is shown.
import type { App } from '#fairway/server/kernel/app-context'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import type { Language } from '#fairway/shared/languages'
import type { Invited } from './invited'

/** The sections of the page; one is visible at a time. */
const SECTIONS = ['magic-link', 'sign-in', 'sign-up', 'sign-up-password', 'reset'] as const
export type Section = (typeof SECTIONS)[number]

export interface SignInPageState {
  language: Language
  /** Whether the page has a button for the development account. */
  offersDev: boolean
  /** The error with the person's input (never a password). */
  refused?: { intent: string; error: AppError; email: string; name: string }
  /** The invitation in the return path. */
  invited?: Invited
}

/** The sections of the page; the first one is shown first (SPEC: Modes and switches). */
export function offeredSections(app: App): Section[] {
  const { magicLink, passwordSignUp } = app.config.signIn
  const isOffered: Record<Section, boolean> = {
    'magic-link': magicLink,
    'sign-in': true,
    'sign-up': passwordSignUp || magicLink,
    'sign-up-password': passwordSignUp && magicLink,
    reset: app.mailer.isReady,
  }
  return SECTIONS.filter(section => isOffered[section])
}

/** Whether a new account is opened by a mailed link first. */
export const signsUpByLink = (app: App): boolean => app.config.signIn.magicLink

/** The section with the form of an intent. */
export function sectionOf(app: App, state: SignInPageState): string | undefined {
  if (state.refused === undefined) return state.invited?.isNew ? 'sign-up' : undefined
  const { intent } = state.refused
  if (intent === 'sign-up' && signsUpByLink(app)) return 'sign-up-password'
  return intent === 'sign-up-link' ? 'sign-up' : intent
}
