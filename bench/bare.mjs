// The baseline of every request: an h3 handler that returns an object, on `PORT`.
import { createServer } from 'node:http'
import { createApp, defineEventHandler, toNodeListener } from 'h3'

const app = createApp()
app.use(defineEventHandler(() => ({ text: 'a bare answer', list: [1, 2, 3] })))
createServer(toNodeListener(app)).listen(Number(process.env.PORT), '127.0.0.1')
