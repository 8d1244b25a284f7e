/** Returns the address of a section of a page at `base`; the first is at `base` itself. */
export const pathOfSection = (base: string, { id, to }: { id: string; to?: string }, index: number): string =>
  to ?? (index === 0 ? base : `${base}/${id}`)
