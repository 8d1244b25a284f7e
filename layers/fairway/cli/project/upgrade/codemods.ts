/** A change of an author's sources that a version asks for. */
export interface Codemod {
  /** The version that asks for it. */
  version: string
  /** What it does, as a sentence. */
  title: string
  /** The files that it looks at, as a pattern below the project. */
  files: string
  /** The text of a file as the version wants it; the same text where there is nothing to do. It imports nothing: it runs before the version is installed. */
  change(text: string, path: string): string
}

/** Every one there is, by version; `fw upgrade` shows what they change, and runs those between the two versions. */
export const codemods: readonly Codemod[] = []
