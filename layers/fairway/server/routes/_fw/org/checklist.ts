import { z } from 'zod'
import { personState } from '#fairway/server/domains/people'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { signedIn } from '#fairway/server/signed-in'

const SETTING = 'fw:checklist'
const checklistSchema = z.object({ isDismissed: z.boolean() })

/** Each person puts the first steps away for themselves, in each organization on its own. */
export default defineMethods({
  GET: signedIn(
    async ({ app, session }) =>
      (await personState(app, () => session).get(SETTING, checklistSchema)) ?? { isDismissed: false },
  ),
  PUT: signedIn(async ({ app, session, event }) => {
    const checklist = await readInput(event, checklistSchema)
    await personState(app, () => session).set(SETTING, checklist)
    return checklist
  }),
})
