// Shared by pages and actions. Uses zod/mini because browsers load it with the page.
import * as z from 'zod/mini'

export const NOTE_TITLE_LENGTH = 200
export const NOTE_TEXT_LENGTH = 20_000

export const noteTitleSchema = z
  .string()
  .check(
    z.trim(),
    z.minLength(1, 'Enter a title.'),
    z.maxLength(NOTE_TITLE_LENGTH),
    z.describe('One line that names the note.'),
  )

export const noteTextSchema = z.string().check(z.maxLength(NOTE_TEXT_LENGTH), z.describe('The note itself.'))
