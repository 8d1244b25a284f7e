/** A change of an author's sources that a version requires. */
export interface Codemod {
  /** The version that requires it. */
  version: string
  /** A description in one sentence. */
  title: string
  /** The files to check, as a pattern relative to the project. */
  files: string
  /**
   * Returns the new text of a file, or the same text when nothing changes. It must import nothing: it runs before the version is
   * installed.
   */
  change(text: string, path: string): string
}

/** All codemods by version; `fw upgrade` shows their changes, and runs those between the two versions. */
export const codemods: readonly Codemod[] = []
