import { describe, expect, it } from 'vitest'
import { forgetDrafts, noteDraft } from '../../../../app/notes/note-draft'

/** A storage as browsers have it: items are its own keys, methods are not. */
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

describe('noteDraft', () => {
  it('gives back what was kept, to the same person and the same note only', () => {
    const storage = createStorage()
    noteDraft(storage, 'ada', '1').keep({ title: 'a', text: 'b' })
    expect(noteDraft(storage, 'ada', '1').read()).toEqual({ title: 'a', text: 'b' })
    expect(noteDraft(storage, 'ada').read()).toBeUndefined()
    expect(noteDraft(storage, 'bob', '1').read()).toBeUndefined()
  })

  it('forgets one draft', () => {
    const storage = createStorage()
    const draft = noteDraft(storage, 'ada')
    draft.keep({ title: 'a', text: '' })
    draft.forget()
    expect(draft.read()).toBeUndefined()
  })

  it.each(['not json', '{"title":1}', 'null'])('ignores a stored %s', text => {
    const storage = createStorage()
    storage.setItem('fairway-draft-ada-new', text)
    expect(noteDraft(storage, 'ada').read()).toBeUndefined()
  })

  it('forgets every draft and nothing else', () => {
    const storage = createStorage()
    storage.setItem('other', 'kept')
    noteDraft(storage, 'ada').keep({ title: 'a', text: '' })
    noteDraft(storage, 'bob', '1').keep({ title: 'b', text: '' })
    forgetDrafts(storage)
    expect(Object.keys(storage)).toEqual(['other'])
  })
})
