import { setResponseHeader } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { constantTimeEqual, sha256 } from '#fairway/server/kernel/crypto/hash'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readBearer } from '#fairway/server/kernel/http/request-info'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { jobMetrics } from '../../kernel/jobs'
import { readMetrics } from '../../kernel/security-events/list-security-events'

export default defineMethods({
  async GET(event) {
    const app = getApp(event)
    const { metricsToken } = app.config
    if (!metricsToken) throw new AppError('not-found')
    const bearer = readBearer(event.node.req) ?? ''
    if (!constantTimeEqual(sha256(bearer), sha256(metricsToken))) throw new AppError('unauthenticated')
    setResponseHeader(event, 'content-type', 'text/plain; version=0.0.4; charset=utf-8')
    return (await readMetrics(app)) + (await jobMetrics(app))
  },
})
