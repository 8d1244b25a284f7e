import type { Note } from '../notes/note'

/** What the person may do with a note: change it, or also share and delete it. */
export function useNoteAccess(note: () => Note) {
  return {
    mayChange: computed(() => note().access !== 'viewer'),
    mayShare: computed(() => note().access === 'owner' || note().access === 'admin'),
  }
}
