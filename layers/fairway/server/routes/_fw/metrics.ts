import { setResponseHeader } from 'h3'
import { readMetrics } from '#fairway/server/domains/security-events'
import { getApp } from '#fairway/server/foundation/app-context'
import { constantTimeEqual, sha256 } from '#fairway/server/foundation/crypto/hash'
import { AppError } from '#fairway/server/foundation/http/app-error'
import { readBearer } from '#fairway/server/foundation/http/bearer'
import { defineMethods } from '#fairway/server/foundation/http/methods'

export default defineMethods({
  GET(event) {
    const app = getApp(event)
    const { metricsToken } = app.config
    if (!metricsToken) throw new AppError('not-found')
    const bearer = readBearer(event.node.req) ?? ''
    if (!constantTimeEqual(sha256(bearer), sha256(metricsToken))) throw new AppError('unauthenticated')
    setResponseHeader(event, 'content-type', 'text/plain; version=0.0.4; charset=utf-8')
    return readMetrics(app)
  },
})
