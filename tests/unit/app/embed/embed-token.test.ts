import { describe, expect, it } from 'vitest'
import { takeEmbedToken } from '#fairway/app/embed/embed-token'

function aWindow(hash: string, state: unknown = null) {
  const replaced: unknown[] = []
  const history = {
    state,
    replaceState(next: unknown, _title: string, url?: string | URL | null) {
      history.state = next
      replaced.push(url)
    },
  }
  return { location: { pathname: '/embed/notes', search: '?a=1', hash }, history, replaced }
}

describe('takeEmbedToken', () => {
  it('moves the token from the address to the history state and keeps the router’s values', () => {
    const window = aWindow('#embed_token=fwe_abc-1', { position: 3 })
    expect([takeEmbedToken(window), window.replaced]).toEqual(['fwe_abc-1', ['/embed/notes?a=1']])
    expect(window.history.state).toEqual({ position: 3, embedToken: 'fwe_abc-1' })
  })

  it('finds the token after a reload, and prefers a newer one in the address', () => {
    const { history } = aWindow('', { position: 3, embedToken: 'fwe_old' })
    expect(takeEmbedToken(aWindow('', history.state))).toBe('fwe_old')
    expect(takeEmbedToken(aWindow('#embed_token=fwe_new', history.state))).toBe('fwe_new')
  })

  it.each(['', '#section', '#embed_token=', '#embed_token=a b'])('ignores the fragment %j', hash => {
    const window = aWindow(hash, { position: 1 })
    expect([takeEmbedToken(window), window.replaced]).toEqual([undefined, []])
  })
})
