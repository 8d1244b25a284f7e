import { defineEventHandler, readBody } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'

/** The same limit for a call that carries a JSON body. */
export default defineEventHandler(async event => {
  const app = getApp(event)
  await readBody(event)
  const find = app.memo('bench-select', () =>
    app.db.prepareRead<{ id: string }>('select id, email, name from users where email = ?'),
  )
  return { result: await find(['bench@example.test']) }
})
