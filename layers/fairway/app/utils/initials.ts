/**
 * The initials on a circle, or on a square for an organization. The colour depends on the name and is readable in both themes.
 */
export function initialsOf(name: string) {
  const sum = [...name].reduce((total, letter) => (total * 31 + (letter.codePointAt(0) ?? 0)) % 3600, 7)
  const colour = (lightness: number, strength: number) => `oklch(${lightness} ${strength} ${sum % 360})`
  return {
    alt: name,
    // The name is beside it.
    'aria-hidden': true as const,
    ui: { fallback: 'text-inherit' },
    style: {
      backgroundColor: `light-dark(${colour(0.92, 0.05)},${colour(0.38, 0.06)})`,
      color: `light-dark(${colour(0.38, 0.1)},${colour(0.93, 0.05)})`,
    },
  }
}
