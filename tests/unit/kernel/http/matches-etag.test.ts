import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { matchesEtag } from '#fairway/server/kernel/http/request-info'

describe('matchesEtag', () => {
  it.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"x", "a"', true],
    ['*', true],
    ['"b"', false],
    ['a', false],
    ['', false],
    [undefined, false],
  ])('compares If-None-Match %j', (header, expected) => {
    const request = new IncomingMessage(new Socket())
    if (header !== undefined) request.headers['if-none-match'] = header
    expect(matchesEtag(request, '"a"')).toBe(expected)
  })
})
