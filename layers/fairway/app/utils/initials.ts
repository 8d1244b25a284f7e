/** A person or an organization, as answers and sessions show them. */
export interface Depicted {
  id?: string | null
  userId?: string | null
  email?: string
  name: string
  image?: string | null
}

/**
 * The initials on a circle, or on a square for an organization. The colour comes from the id, so it stays when the name changes;
 * without an id it comes from the address, else from the name. It is readable in both themes.
 */
export function initialsOf({ id, userId, email, name }: Depicted) {
  const seed = id ?? userId ?? email ?? name
  const sum = [...seed].reduce((total, letter) => (total * 31 + (letter.codePointAt(0) ?? 0)) % 3600, 7)
  const colour = (lightness: number, strength: number) => `oklch(${lightness} ${strength} ${sum % 360})`
  return {
    alt: name || email,
    // The name is beside it.
    'aria-hidden': true as const,
    ui: { fallback: 'text-inherit' },
    style: {
      backgroundColor: `light-dark(${colour(0.92, 0.05)},${colour(0.38, 0.06)})`,
      color: `light-dark(${colour(0.38, 0.1)},${colour(0.93, 0.05)})`,
    },
  }
}
