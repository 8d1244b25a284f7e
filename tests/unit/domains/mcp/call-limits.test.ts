import { expect, it } from 'vitest'
import { withinCallLimits } from '#fairway/server/domains/mcp/access'
import type { McpAccess } from '#fairway/server/domains/oauth-server'
import { useTestApp } from '../../../support/use-app'
import { refusalOf } from '../../../support/error-code'

const test = useTestApp({ FW_RATE_LIMITS: 'on' })

const accessOf = (grantId: string) => ({ grantId }) as McpAccess

it('withinCallLimits allows twenty concurrent calls per grant, does not affect others, and frees finished calls', async () => {
  const open = Promise.withResolvers<void>()
  const call = (grantId: string) => withinCallLimits(test.app, accessOf(grantId), () => open.promise)
  const running = Array.from({ length: 20 }, () => call('one'))
  expect(await refusalOf(call('one'))).toBe('rate-limited')
  const other = call('two')
  open.resolve()
  await Promise.all([...running, other])
  expect(await refusalOf(call('one'))).toBe('done')
  const failing = () => withinCallLimits(test.app, accessOf('one'), () => Promise.reject(new Error('no')))
  for (let index = 0; index < 25; index++) await expect(failing()).rejects.toThrow('no')
})
