import { describe, expect, it } from 'vitest'
import type { Session } from '#fairway/shared/schemas/session'
import { createSessionStore } from '#fairway/app/session/session-store'

const ada: Session = {
  userId: 'u1',
  email: 'ada@example.test',
  emailVerified: true,
  name: 'Ada',
  image: null,
  orgId: null,
  orgName: null,
  orgSlug: null,
  orgRole: null,
  provider: 'password',
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-02-01T00:00:00.000Z',
}

/** A server whose responses the test resolves one at a time, in any order. */
function scriptedServer() {
  const asked: PromiseWithResolvers<Session | null>[] = []
  const ended: PromiseWithResolvers<void>[] = []
  const wait = <T>(list: PromiseWithResolvers<T>[]) => {
    const deferred = Promise.withResolvers<T>()
    list.push(deferred)
    return deferred.promise
  }
  return { asked, ended, server: { ask: () => wait(asked), end: () => wait(ended) } }
}

const settled = () => new Promise(resolve => setTimeout(resolve))

describe('session store', () => {
  it('is loading until the first response', async () => {
    const { asked, server } = scriptedServer()
    const store = createSessionStore(server)
    const checking = store.check()
    expect(store.state.value.status).toBe('loading')
    asked[0]?.resolve(ada)
    await checking
    expect(store.state.value).toEqual({ status: 'signed-in', session: ada })
  })

  it('is signed out when the server returns no session', async () => {
    const store = createSessionStore({ ask: async () => null, end: async () => undefined })
    await store.check()
    expect(store.state.value.status).toBe('signed-out')
  })

  it('is unreachable, not signed out, when the request fails', async () => {
    const reason = new Error('503')
    const store = createSessionStore({ ask: () => Promise.reject(reason), end: async () => undefined })
    await store.check()
    expect(store.state.value).toEqual({ status: 'unreachable', reason })
  })

  describe('in another organization', () => {
    const at = { ...ada, orgId: 'one', orgName: 'One' }
    const elsewhere = { ...ada, orgId: 'two', orgName: 'Two' }
    const storeOf = async (...answers: (Session | null)[]) => {
      const store = createSessionStore({ ask: async () => answers.shift() ?? null, end: async () => undefined })
      await store.check()
      return store
    }

    it('keeps the shown one and tells of the other, until the page follows', async () => {
      const store = await storeOf(at, elsewhere, elsewhere)
      await store.recheck()
      expect([store.state.value, store.elsewhere.value]).toEqual([{ status: 'signed-in', session: at }, elsewhere])
      await store.follow()
      expect([store.state.value, store.elsewhere.value]).toEqual([
        { status: 'signed-in', session: elsewhere },
        undefined,
      ])
    })

    it('is followed by a page that checks again before it has followed', async () => {
      const store = await storeOf(at, elsewhere, elsewhere)
      await Promise.all([store.follow(), store.check()])
      expect([store.state.value, store.elsewhere.value]).toEqual([
        { status: 'signed-in', session: elsewhere },
        undefined,
      ])
    })

    it('follows a return, a sign-out and another person at once', async () => {
      const back = await storeOf(at, elsewhere, at)
      await back.check()
      await back.check()
      expect([back.state.value, back.elsewhere.value]).toEqual([{ status: 'signed-in', session: at }, undefined])
      const out = await storeOf(at, null)
      await out.check()
      expect(out.state.value).toEqual({ status: 'signed-out' })
      const eve = { ...elsewhere, userId: 'u2' }
      const other = await storeOf(at, eve)
      await other.check()
      expect(other.state.value).toEqual({ status: 'signed-in', session: eve })
    })

    it('is the same one while it is closed to the session, and the first one is shown at once', async () => {
      const closedOrg = { id: 'one', name: 'One', provider: '', providerName: '', signIn: null, isOwnProvider: false }
      const closed = { ...ada, closedOrg }
      const store = await storeOf(ada, at, closed)
      await store.check()
      expect(store.state.value).toEqual({ status: 'signed-in', session: at })
      await store.check()
      expect(store.state.value).toEqual({ status: 'signed-in', session: closed })
    })

    it('is unreachable when the address is closed to the person, also later', async () => {
      const reason = Object.assign(new Error('404'), { status: 404 })
      const answers = [async () => at, () => Promise.reject(reason)]
      const store = createSessionStore({ ask: () => answers.shift()!(), end: async () => undefined })
      await store.check()
      await store.check()
      expect(store.state.value).toEqual({ status: 'unreachable', reason })
    })
  })

  it('stays signed in when a later check fails', async () => {
    const { asked, server } = scriptedServer()
    const store = createSessionStore(server)
    const first = store.check()
    asked[0]?.resolve(ada)
    await first
    const second = store.check()
    asked[1]?.reject(new Error('no network'))
    await second
    expect(store.state.value.status).toBe('signed-in')
  })

  it('ignores a response that arrives after a sign-out', async () => {
    const { asked, ended, server } = scriptedServer()
    const store = createSessionStore(server)
    const checking = store.check()
    const leaving = store.signOut()
    ended[0]?.resolve()
    await leaving
    asked[0]?.resolve(ada)
    await checking
    expect(store.state.value.status).toBe('signed-out')
  })

  it('ignores the response to a check that started during a sign-out', async () => {
    const { asked, ended, server } = scriptedServer()
    const store = createSessionStore(server)
    const leaving = store.signOut()
    const checking = store.recheck()
    ended[0]?.resolve()
    await leaving
    asked[0]?.resolve(ada)
    await checking
    expect(store.state.value.status).toBe('signed-out')
  })

  it('ignores an older response that arrives after a newer one', async () => {
    const { asked, server } = scriptedServer()
    const store = createSessionStore(server)
    void store.check()
    const newer = store.check()
    asked[1]?.resolve(null)
    await newer
    asked[0]?.resolve(ada)
    await settled()
    expect(store.state.value.status).toBe('signed-out')
  })

  it('ignores a pending response when another tab has signed out', async () => {
    const { asked, server } = scriptedServer()
    const store = createSessionStore(server)
    const checking = store.check()
    store.acceptSignOut()
    asked[0]?.resolve(ada)
    await checking
    expect(store.state.value.status).toBe('signed-out')
  })

  it('joins a pending check on a recheck instead of sending another request', async () => {
    const { asked, server } = scriptedServer()
    const store = createSessionStore(server)
    const first = store.check()
    const second = store.recheck()
    asked[0]?.resolve(ada)
    await Promise.all([first, second])
    expect(asked).toHaveLength(1)
  })

  it('stays signed in and throws when the server does not confirm the sign-out', async () => {
    const { asked, ended, server } = scriptedServer()
    const store = createSessionStore(server)
    const checking = store.check()
    asked[0]?.resolve(ada)
    await checking
    const leaving = store.signOut()
    ended[0]?.reject(new Error('no network'))
    await expect(leaving).rejects.toThrow('no network')
    expect(store.state.value.status).toBe('signed-in')
  })
})
