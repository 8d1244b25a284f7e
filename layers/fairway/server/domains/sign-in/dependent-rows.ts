import type { DependentRows } from '#fairway/server/kernel/dependent-rows'
import { endOneTimeStatement } from '#fairway/server/kernel/one-time/one-time'
import { passkeyChallenge } from './passkeys/ceremony'
import { waitingSignIn } from './two-factor/second-factor'

/** Passkeys and second factors say that an account was used, and go when its owner wants to be alone in it. */
export const signInRows: DependentRows = {
  uses: userId => ['passkeys', 'two_factor'].map(table => `select 1 from ${table} w where w.user_id = ${userId}`),
  leftByStranger: (app, { userId }) => [
    { sql: 'delete from passkeys where user_id = ?', args: [userId] },
    // The backup codes go with it.
    { sql: 'delete from two_factor where user_id = ?', args: [userId] },
    endOneTimeStatement(app, [passkeyChallenge, waitingSignIn], userId),
  ],
}
