import { endConnectionsStatements } from './connect'
import type { DependentRows } from '#fairway/server/kernel/dependent-rows'

/** Connected accounts say that an account was used, and move with it. */
export const oauthClientRows: DependentRows = {
  uses: userId => [`select 1 from oauth_tokens w where w.user_id = ${userId}`],
  leftByStranger: (app, { userId }) => endConnectionsStatements(app, userId),
  movesWithPerson: { oauth_tokens: '1' },
}
