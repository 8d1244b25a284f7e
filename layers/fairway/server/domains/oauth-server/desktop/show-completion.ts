import type { App } from '#fairway/server/kernel/app-context'
import { messagesOf } from '#fairway/server/kernel/messages'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { notePage } from '#fairway/server/kernel/server-page/note-page'
import type { Session } from '#fairway/shared/schemas/session'
import { beginAgainAnswer, type CeremonyAnswer } from './ceremony-answer'

const texts = messagesOf('en').desktopSignIn

/** The last page of a ceremony, for whoever confirmed one with this nonce; nobody else learns that there is one. */
export async function showCompletion(app: App, session: Session | null, nonce: string): Promise<CeremonyAnswer> {
  if (!session) {
    const { signedOutTitle: title, signedOutLead: lead } = texts
    return { page: await notePage(app, { title, lead, code: 'unauthenticated' }), status: 401 }
  }
  const find = app.memo('find-confirmed-ceremony', () =>
    app.db.prepareRead<{ id: string }>(
      'select id from desktop_ceremonies where nonce_hash = ? and user_id = ? and confirmed_at is not null',
    ),
  )
  const [row] = await find([sha256(nonce), session.userId])
  if (!row) return beginAgainAnswer(app)
  const { completeTitle: title, completeLead: lead } = texts
  return { page: await notePage(app, { title, lead }), status: 200 }
}
