import type { App } from '#fairway/server/kernel/app-context'
import { notePage } from '#fairway/server/kernel/server-page/note-page'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'

interface RefusedPerson {
  email: string
  refusal: 'dev-account-refused' | 'email-not-verified'
  /** The sign-in page that leads back here. */
  signInHref: string
}

const texts = {
  'email-not-verified': {
    title: 'Confirm your e-mail address first',
    lead: (email: string, product: string) =>
      `Other applications know you by your address alone, and nobody has confirmed ${email} in ${product} yet.`,
    todo: 'Sign in once with a link by mail, or with a provider. That confirms the address, and you get to the application right away.',
    button: 'Sign in and confirm',
  },
  'dev-account-refused': {
    title: 'Sign in with an account of your own',
    lead: (_email: string, product: string) =>
      `You are using ${product} without an account of your own. Other applications would not know who you are.`,
    todo: 'Sign in as yourself, and you get to the application right away.',
    button: 'Sign in',
  },
} as const

/** The page for somebody of whom the hub says nothing to other applications, with what to do about it. */
export function refusedPersonPage(app: App, { email, refusal, signInHref }: RefusedPerson): Promise<ServerPage> {
  const { title, lead, todo, button } = texts[refusal]
  const link = { href: signInHref, text: button }
  return notePage(app, { title, lead: lead(email, app.config.name), detail: todo, link, code: refusal })
}
