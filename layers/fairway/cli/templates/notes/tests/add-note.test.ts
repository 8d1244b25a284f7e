import { expect, it } from 'vitest'
import addNote from '../server/actions/add-note'

it('takes a title without the space around it', () => {
  expect(addNote.input.parse({ title: ' Plan ' })).toEqual({ title: 'Plan' })
})

it('refuses a note without a title', () => {
  expect(addNote.input.safeParse({ title: ' ' }).success).toBe(false)
})
