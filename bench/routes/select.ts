import { defineEventHandler } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'

/** The limit for a signed-in read: one prepared, indexed SELECT and its JSON. */
export default defineEventHandler(async event => {
  const app = getApp(event)
  const find = app.memo('bench-select', () =>
    app.db.prepareRead<{ id: string }>('select id, email, name from users where email = ?'),
  )
  return { result: await find(['bench@example.test']) }
})
