import * as z from 'zod/mini'

const facts = {
  id: z.string(),
  name: z.string(),
  /** The media type, detected from its bytes. */
  type: z.string(),
  /** In bytes. */
  size: z.number(),
}

/** The response to an upload: `ticket` goes into the input of an action. */
export const uploadedFileSchema = z.object({ ticket: z.string(), ...facts })
export type UploadedFile = z.infer<typeof uploadedFileSchema>

/** The files that an upload accepts. */
export const uploadRulesSchema = z.object({ accept: z.array(z.string()), maxSize: z.number() })
export type UploadRules = z.infer<typeof uploadRulesSchema>

/** A file as collections send it, with the address of its bytes. */
export interface StoredFile {
  id: string
  name: string
  type: string
  size: number
  url: string
}

/** The forms of a file in an action's input. */
export type GivenFile = string | { id: string; ticket?: string }

/** The value of a file field in a form: a file that was just uploaded, or one that the row has. */
export type FileValue = { id: string; ticket?: string } & Partial<Omit<StoredFile, 'id'>>
