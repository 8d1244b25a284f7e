import { type Span, type SpanOptions, trace, type Tracer } from '@opentelemetry/api'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction } from '#fw'
import { runAction } from '#fairway/server/domains/actions'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { createTestApp } from '../../../support/app'
import { aMember } from '../../../support/members'

afterEach(() => trace.disable())

/** Records all data passed to spans from now on, and how many spans have ended. */
function watchSpans() {
  const seen: { told: unknown[]; ended: number } = { told: [], ended: 0 }
  const span = {
    setAttribute: (...told: unknown[]) => seen.told.push(told),
    setStatus: (told: unknown) => seen.told.push(told),
    end: () => (seen.ended += 1),
  } as unknown as Span
  const startActiveSpan = (name: string, options: SpanOptions, work: (span: Span) => unknown) => {
    seen.told.push(name, options.attributes)
    return work(span)
  }
  trace.setGlobalTracerProvider({ getTracer: () => ({ startActiveSpan }) as unknown as Tracer })
  return seen
}

it('spans of actions contain the name, surface and error code but no user content', async () => {
  const seen = watchSpans()
  const { app, close } = await createTestApp()
  const session = await aMember(app, { email: 'swordfish@example.test', name: 'Swordfish' })
  const action = defineAction({
    description: 'Refuses what it is told.',
    input: z.object({ text: z.string() }),
    run: ({ text }) => {
      throw new AppError('conflict', { detail: text })
    },
  })
  const call = {
    name: 'refuse',
    action,
    input: { text: 'swordfish' },
    session,
    caller: 'http' as const,
    requestId: 'r',
  }
  await expect(runAction(app, call)).rejects.toMatchObject({ code: 'conflict' })
  await close()
  expect(seen.ended).toBe(1)
  expect(JSON.stringify(seen.told)).toMatch(/action refuse.*http.*conflict/)
  expect(JSON.stringify(seen.told)).not.toMatch(/swordfish/i)
})
