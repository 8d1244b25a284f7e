import * as z from 'zod/mini'

/** A person in answers. Screens show the name and the picture, derive the colour from the id, and keep the address for hover. */
export const shownPersonSchema = z.object({
  /** Null for an address without an account that the reader may see. */
  id: z.nullable(z.string()),
  /** The address where the name is unknown or empty. */
  name: z.string(),
  email: z.string(),
  /** The address of the picture, if this application has one that the reader may load. */
  image: z.nullable(z.string()),
})
export type ShownPerson = z.infer<typeof shownPersonSchema>
