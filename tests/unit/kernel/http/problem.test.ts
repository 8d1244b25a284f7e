import { createError } from 'h3'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AppError, toAppError, toProblem } from '#fairway/server/kernel/http/app-error'
import { errorCatalog } from '#fairway/shared/errors'
import { problemSchema } from '#fairway/shared/schemas/problem'

describe('toAppError', () => {
  it('keeps an AppError, also when the framework wrapped it', () => {
    const error = new AppError('forbidden')
    expect(toAppError(error)).toBe(error)
    expect(toAppError(createError(new AppError('forbidden', { cause: 'why' })))).toMatchObject({
      code: 'forbidden',
      cause: 'why',
    })
  })

  it.each([
    [404, 'not-found'],
    [405, 'method-not-allowed'],
    [413, 'payload-too-large'],
    [400, 'invalid-request'],
    [500, 'internal'],
    [200, 'internal'],
  ])('maps the framework status %i to %s', (statusCode, code) => {
    expect(toAppError(createError({ statusCode })).code).toBe(code)
  })

  it.each([undefined, null, 'text', 42, new Error('boom'), { statusCode: 'x' }])('maps %j to internal', thrown => {
    expect(toAppError(thrown).code).toBe('internal')
  })
})

describe('toProblem of an error that a route makes with createError', () => {
  const problemOf = (input: Parameters<typeof createError>[0]) => toProblem(toAppError(createError(input)), 'r')

  it.each([401, 402, 403, 404, 409, 418, 422, 429])('keeps the status %i, the message and the data', statusCode => {
    const problem = problemOf({ statusCode, message: 'Choose another name.', data: { taken: ['a'] } })
    expect(problem).toMatchObject({
      status: statusCode,
      detail: 'Choose another name.',
      data: { taken: ['a'] },
    })
  })

  it('has the field errors of a failed schema, as readValidatedBody throws them', () => {
    const { error } = z
      .object({ title: z.string('Write a title.'), at: z.object({ day: z.int() }) })
      .safeParse({ at: {} })
    const problem = problemOf({ status: 400, statusMessage: 'Validation Error', message: error?.message, data: error })
    expect(problem).toMatchObject({
      status: 400,
      code: 'invalid-input',
      errors: [
        { path: 'title', message: 'Write a title.' },
        { path: 'at.day', message: expect.any(String) },
      ],
    })
    expect(problem).not.toHaveProperty('detail')
  })

  it('keeps nothing of an error that h3 wrapped, or of a failure', () => {
    const upstream = Object.assign(new Error('GET http://10.0.0.7/x: 404'), { statusCode: 404, data: { secret: 1 } })
    const wrapped = createError(upstream)
    wrapped.unhandled = true
    for (const thrown of [upstream, wrapped, createError({ statusCode: 500, message: 'at /srv', data: { secret: 1 } })])
      expect(JSON.stringify(toProblem(toAppError(thrown), 'r'))).not.toMatch(/10\.0|secret|srv/)
  })
})

describe('toProblem', () => {
  it('contains code, status, detail, request id and field errors', () => {
    const error = new AppError('invalid-input', { detail: 'Two fields.', errors: [{ path: 'a', message: 'Missing.' }] })
    const problem = toProblem(error, 'request-1')
    expect(problemSchema.parse(problem)).toEqual({
      type: 'urn:fairway:error:invalid-input',
      title: errorCatalog['invalid-input'].title,
      status: 400,
      detail: 'Two fields.',
      code: 'invalid-input',
      requestId: 'request-1',
      errors: [{ path: 'a', message: 'Missing.' }],
    })
  })

  it('hides internal details of a failure', () => {
    const problem = toProblem(
      new AppError('internal', { detail: 'select * from users', cause: new Error('at /srv/x.ts') }),
      'r',
    )
    expect(JSON.stringify(problem)).not.toMatch(/select|srv/)
  })
})
