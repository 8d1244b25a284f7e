import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { holdsVersion } from '#fairway/server/kernel/http/holds-version'

describe('holdsVersion', () => {
  it.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"x", "a"', true],
    ['*', true],
    ['"b"', false],
    ['a', false],
    ['', false],
    [undefined, false],
  ])('reads If-None-Match %j', (header, expected) => {
    const request = new IncomingMessage(new Socket())
    if (header !== undefined) request.headers['if-none-match'] = header
    expect(holdsVersion(request, '"a"')).toBe(expected)
  })
})
