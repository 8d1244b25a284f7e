import { describe, expect, it } from 'vitest'
import { safeReturnPath } from '#fairway/shared/return-path'
import { signInPath } from '#fairway/app/utils/sign-in-path'

describe('signInPath', () => {
  it('carries path, query and hash to the sign-in page and back', () => {
    const path = signInPath({ pathname: '/notes', search: '?view=archived&q=a%20b', hash: '#top' })
    expect(path).toBe('/sign-in?return=%2Fnotes%3Fview%3Darchived%26q%3Da%2520b%23top')
    const origin = 'https://fairway.test'
    expect(safeReturnPath(new URL(path, origin).searchParams.get('return'), origin)).toBe(
      '/notes?view=archived&q=a%20b#top',
    )
  })
})
