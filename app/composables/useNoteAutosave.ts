import * as z from 'zod/mini'
import { noteTitleSchema } from '#shared/note'
import type { Note } from '../notes/note'

const PAUSE_IN_MS = 800

const draftSchema = z.object({ title: z.string(), text: z.string(), since: z.optional(z.string()) })

type Written = Pick<Note, 'title' | 'text'>
const isSame = (one: Written, other: Written) => one.title.trim() === other.title.trim() && one.text === other.text
const NOTHING: Written = { title: '', text: '' }

/** Whether a draft is based on an older version of the note than this one. */
const isOfBefore = (draft: Written & { since?: string }, note: Note) =>
  draft.since !== note.updatedAt && !isSame(draft, note)

/** The save state of the editor: `untitled` waits for a title, `conflict` for the user's choice. */
export type SaveState = 'empty' | 'saved' | 'waiting' | 'saving' | 'untitled' | 'failed' | 'conflict'

/**
 * The text of a note in the editor, saved automatically after a pause. Without a note, the first save creates one. Unsaved text
 * is kept in this tab. After a change by another person, `theirs` holds the other version until the user decides, so no text is
 * lost.
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

  /** Saves the text immediately. A failed save sets `failure` or `theirs` and keeps the text. */
  async function save(): Promise<void> {
    clearTimeout(timer)
    // Text written during this save is saved after it.
    if (isSending.value || theirs.value || !isChanged.value || state.value === 'untitled') return
    isSending.value = true
    const isDone = await send(saved.value).catch(() => false)
    isSending.value = false
    if (isDone && isChanged.value) await save()
  }

  /** Overwrites the other version with the user's own. */
  async function keepMine(): Promise<void> {
    saved.value = theirs.value
    theirs.value = undefined
    await save()
  }

  /** Takes the other version and returns the user's own text, which `bringBack` can restore. */
  function takeTheirs(): Written {
    const mine = { ...written.value }
    saved.value = theirs.value
    theirs.value = undefined
    if (saved.value) versions.write(saved.value)
    versions.keep()
    return mine
  }

  /** Restores a version after the user chose the other one, even when the page of the note is closed. */
  async function bringBack(version: Written): Promise<void> {
    versions.write(version)
    versions.keep()
    await save()
  }

  // A draft from an earlier visit is saved as if it had just been written.
  if (versions.isKept) timer = setTimeout(save, PAUSE_IN_MS)

  return { ...versions, state, failure, save, keepMine, takeTheirs, bringBack }
}

/** The unsaved text of a note, kept in this tab under the note's name. */
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

/** The versions of one note: the editor's, the server's and, during a conflict, another person's. */
function useNoteVersions(start: Note | undefined) {
  const { kept: keptDraft, ...draft } = useNoteDraft(start?.id)
  const { title: firstTitle, text: firstText } = keptDraft ?? start ?? NOTHING
  const saved = shallowRef(start)
  const theirs = shallowRef(keptDraft && start && isOfBefore(keptDraft, start) ? start : undefined)
  const title = ref(firstTitle)
  const text = ref(firstText)
  const written = computed<Written>(() => ({ title: title.value, text: text.value }))
  const isChanged = computed(() => !isSame(written.value, saved.value ?? NOTHING))

  function write(what: Written): void {
    title.value = what.title
    text.value = what.text
  }

  /** Keeps text in this tab that the server does not have yet. */
  function keep(): void {
    if (isChanged.value) draft.keep(written.value, saved.value?.updatedAt)
    else draft.forget()
  }

  /** Records that the server has saved this version. */
  async function settle(note: Note): Promise<void> {
    if (!saved.value) await draft.rename(note.id)
    saved.value = note
    keep()
  }

  /** Shows the note's current version unless that would overwrite unsaved text. */
  function adopt(note: Note): void {
    if (saved.value && note.updatedAt < saved.value.updatedAt) return
    if (isChanged.value && saved.value && !isSame(note, saved.value)) return
    const isUntouched = !isChanged.value
    saved.value = note
    if (isUntouched) write(note)
  }

  const isKept = keptDraft !== undefined
  return { saved, theirs, title, text, written, isChanged, isKept, write, keep, settle, adopt }
}

/** Sends the text, as a new note or as an update of the known version. */
function useNoteSending(versions: ReturnType<typeof useNoteVersions>, created: (note: Note) => void) {
  const create = useAction('create-note')
  const update = useAction('update-note')
  const read = useAction('get-note')
  const failure = computed(() =>
    [create.error.value, update.error.value].find(each => each && each.code !== 'conflict'),
  )

  /** Returns false when another version is in conflict. Throws ActionFailure. */
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
    // Only the note's place changed, or both people wrote the same text.
    if (isSame(note, before) || isSame(note, input)) return true
    theirs.value = note
    return false
  }

  return { send, failure }
}
