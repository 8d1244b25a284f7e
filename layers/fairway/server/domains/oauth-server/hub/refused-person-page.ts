import type { App } from '#fairway/server/kernel/app-context'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
import { notePage } from '#fairway/server/kernel/server-page/note-page'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'

interface RefusedPerson {
  email: string
  refusal: 'dev-account-refused' | 'email-not-verified'
  /** The sign-in page that leads back here. */
  signInHref: string
}

/** The page for somebody of whom the hub says nothing to other applications, with what to do about it. */
export function refusedPersonPage(app: App, { email, refusal, signInHref }: RefusedPerson): Promise<ServerPage> {
  const { title, lead, todo, button } = messagesOf('en').hub[refusal]
  const link = { href: signInHref, text: button }
  return notePage(app, {
    title,
    lead: fill(lead, { email, product: app.config.name }),
    detail: todo,
    link,
    code: refusal,
  })
}
