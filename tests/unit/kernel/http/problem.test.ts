import { createError } from 'h3'
import { describe, expect, it } from 'vitest'
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
