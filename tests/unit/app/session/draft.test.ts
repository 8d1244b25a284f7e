import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { createDraft } from '#fairway/app/session/draft'
import { forgetDrafts } from '#fairway/app/session/forget-drafts'

/** A storage like a browser's: items are its own keys, methods are not. */
function createStorage(): Storage {
  const methods = {
    getItem(this: Record<string, string>, key: string) {
      return Object.hasOwn(this, key) ? this[key] : null
    },
    setItem(this: Record<string, string>, key: string, value: string) {
      this[key] = value
    },
    removeItem(this: Record<string, string>, key: string) {
      delete this[key]
    },
  }
  return Object.create(methods)
}

const schema = z.object({ title: z.string(), text: z.string() })
const draftOf = (storage: Storage, userId: string, name = 'note-new') => createDraft(storage, userId, name, schema)

describe('drafts', () => {
  it('return the stored values only to the same person and under the same name', () => {
    const storage = createStorage()
    draftOf(storage, 'ada', 'note-1').keep({ title: 'a', text: 'b' })
    expect(draftOf(storage, 'ada', 'note-1').read()).toEqual({ title: 'a', text: 'b' })
    expect(draftOf(storage, 'ada').read()).toBeUndefined()
    expect(draftOf(storage, 'bob', 'note-1').read()).toBeUndefined()
  })

  it('are deleted one at a time', () => {
    const storage = createStorage()
    const draft = draftOf(storage, 'ada')
    draft.keep({ title: 'a', text: '' })
    draft.forget()
    expect(draft.read()).toBeUndefined()
  })

  it.each(['not json', '{"title":1}', 'null'])('ignore a stored %s', text => {
    const storage = createStorage()
    storage.setItem('fairway-draft-ada-note-new', text)
    expect(draftOf(storage, 'ada').read()).toBeUndefined()
  })

  it('are all deleted by forgetDrafts, which keeps other stored items', () => {
    const storage = createStorage()
    storage.setItem('other', 'kept')
    draftOf(storage, 'ada').keep({ title: 'a', text: '' })
    draftOf(storage, 'bob', 'note-1').keep({ title: 'b', text: '' })
    forgetDrafts(storage)
    expect(Object.keys(storage)).toEqual(['other'])
  })
})
