import * as z from 'zod/mini'
import { noteTitleSchema } from '#shared/note'
import type { Note } from '../notes/note'

const PAUSE_IN_MS = 800

const draftSchema = z.object({ title: z.string(), text: z.string(), since: z.optional(z.string()) })

type Written = Pick<Note, 'title' | 'text'>
const isSame = (one: Written, other: Written) => one.title.trim() === other.title.trim() && one.text === other.text
const NOTHING: Written = { title: '', text: '' }

/** Whether a draft was written over an older version of the note than this one. */
const isOfBefore = (kept: Written & { since?: string }, note: Note) =>
  kept.since !== note.updatedAt && !isSame(kept, note)

/** How it stands with what is written: `untitled` waits for a title, `conflict` for an answer. */
export type SaveState = 'empty' | 'saved' | 'waiting' | 'saving' | 'untitled' | 'failed' | 'conflict'

/**
 * What a person writes into a note, saved by itself after a pause; without a note, the first save makes one. What is not saved
 * yet is kept in this tab. Where the note has changed meanwhile, `theirs` is there until the person has decided: nothing is lost.
 */
export function useNoteAutosave(start: Note | undefined, created: (note: Note) => void) {
  const versions = useNoteVersions(start)
  const { saved, theirs, title, written, isChanged } = versions
  const { send, failure } = useNoteSending(versions, created)
  const isSending = ref(false)
  let timer: ReturnType<typeof setTimeout> | undefined

  const state = computed<SaveState>(() => {
    if (theirs.value) return 'conflict'
    if (isSending.value) return 'saving'
    if (!isChanged.value) return saved.value ? 'saved' : 'empty'
    if (!noteTitleSchema.safeParse(title.value).success) return 'untitled'
    return failure.value ? 'failed' : 'waiting'
  })

  watch(written, () => {
    versions.keep()
    clearTimeout(timer)
    timer = setTimeout(save, PAUSE_IN_MS)
  })
  onScopeDispose(() => clearTimeout(timer))

  /** Saves what is written, at once; what could not be saved is in `failure` or `theirs`, and kept. */
  async function save(): Promise<void> {
    clearTimeout(timer)
    // What is written while this is under way is saved after it.
    if (isSending.value || theirs.value || !isChanged.value || state.value === 'untitled') return
    isSending.value = true
    const isDone = await send(saved.value).catch(() => false)
    isSending.value = false
    if (isDone && isChanged.value) await save()
  }

  /** Writes the person's own version over the other one. */
  async function keepMine(): Promise<void> {
    saved.value = theirs.value
    theirs.value = undefined
    await save()
  }

  /** Takes the other version; gives what was written instead, so that it can be brought back. */
  function takeTheirs(): Written {
    const mine = { ...written.value }
    saved.value = theirs.value
    theirs.value = undefined
    if (saved.value) versions.write(saved.value)
    versions.keep()
    return mine
  }

  /** Writes a version again, after the choice was another; also where the page of the note is gone. */
  async function bringBack(version: Written): Promise<void> {
    versions.write(version)
    versions.keep()
    await save()
  }

  // What was kept from before is saved as if it had just been written.
  if (versions.isKept) timer = setTimeout(save, PAUSE_IN_MS)

  return { ...versions, state, failure, save, keepMine, takeTheirs, bringBack }
}

/** What is written into a note and not saved, kept in this tab under the name of the note. */
function useNoteDraft(id: string | undefined) {
  const nuxtApp = useNuxtApp()
  const draftOf = (name: string) => useDraft(`note-${name}`, draftSchema)
  let draft = draftOf(id ?? 'new')
  return {
    kept: draft.read(),
    keep: (written: Written, since: string | undefined) => draft.keep({ ...written, since }),
    forget: () => draft.forget(),
    /** A new note has its id now. */
    rename: async (to: string): Promise<void> => {
      draft.forget()
      draft = await nuxtApp.runWithContext(() => draftOf(to))
    },
  }
}

/** The versions of one note: what is written, what the server has, and another's, while it is not decided which one stays. */
function useNoteVersions(start: Note | undefined) {
  const { kept, ...draft } = useNoteDraft(start?.id)
  const { title: firstTitle, text: firstText } = kept ?? start ?? NOTHING
  const saved = shallowRef(start)
  const theirs = shallowRef(kept && start && isOfBefore(kept, start) ? start : undefined)
  const title = ref(firstTitle)
  const text = ref(firstText)
  const written = computed<Written>(() => ({ title: title.value, text: text.value }))
  const isChanged = computed(() => !isSame(written.value, saved.value ?? NOTHING))

  function write(what: Written): void {
    title.value = what.title
    text.value = what.text
  }

  /** Keeps in this tab what the server does not have. */
  function keep(): void {
    if (isChanged.value) draft.keep(written.value, saved.value?.updatedAt)
    else draft.forget()
  }

  /** The note is saved so. */
  async function settle(note: Note): Promise<void> {
    if (!saved.value) await draft.rename(note.id)
    saved.value = note
    keep()
  }

  /** Shows the note as it is now, where nothing is written that this would take away. */
  function adopt(note: Note): void {
    if (saved.value && note.updatedAt < saved.value.updatedAt) return
    if (isChanged.value && saved.value && !isSame(note, saved.value)) return
    const isUntouched = !isChanged.value
    saved.value = note
    if (isUntouched) write(note)
  }

  const isKept = kept !== undefined
  return { saved, theirs, title, text, written, isChanged, isKept, write, keep, settle, adopt }
}

/** Sending what is written, as a new note or over the version that is known. */
function useNoteSending(versions: ReturnType<typeof useNoteVersions>, created: (note: Note) => void) {
  const create = useAction('create-note')
  const update = useAction('update-note')
  const read = useAction('get-note')
  const failure = computed(() =>
    [create.error.value, update.error.value].find(each => each && each.code !== 'conflict'),
  )

  /** Gives false where another version is in the way; throws ActionFailure. */
  async function send(before: Note | undefined): Promise<boolean> {
    const { written, saved, theirs, settle } = versions
    const input = { ...written.value }
    if (!before) {
      const { note } = await create.run(input)
      await settle(note)
      created(note)
      return true
    }
    const answer = await update
      .run({ id: before.id, ...input, ifUnchangedSince: before.updatedAt })
      .catch((thrown: unknown) => (update.error.value?.code === 'conflict' ? undefined : Promise.reject(thrown)))
    if (answer) {
      await settle(answer.note)
      return true
    }
    const { note } = await read.run({ id: before.id })
    saved.value = note
    // Only its place has changed, or both have written the same.
    if (isSame(note, before) || isSame(note, input)) return true
    theirs.value = note
    return false
  }

  return { send, failure }
}
