import { setResponseHeader } from 'h3'
import { readMetrics } from '#server/domains/security-events'
import { getApp } from '#server/foundation/app-context'
import { constantTimeEqual, sha256 } from '#server/foundation/crypto/hash'
import { AppError } from '#server/foundation/http/app-error'
import { readBearer } from '#server/foundation/http/bearer'
import { defineMethods } from '#server/foundation/http/methods'

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
