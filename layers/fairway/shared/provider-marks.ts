// The marks of sign-in providers, drawn once for the server's pages and for components.

interface MarkShape {
  d: string
  /** The colour of a filled shape; the text colour where none is given. */
  fill?: string
  /** The colour of a drawn line; then the shape is not filled. */
  stroke?: string
  width?: number
}

interface ProviderMark {
  viewBox: string
  shapes: readonly MarkShape[]
  /** Whether it points in a direction, and is mirrored in right-to-left languages. */
  points?: boolean
}

const marks: Record<string, ProviderMark> = {
  google: {
    viewBox: '0 0 24 24',
    shapes: [
      { d: 'M18.3 6.3A8.5 8.5 0 0 0 4.5 8', stroke: '#ea4335', width: 4.4 },
      { d: 'M4.5 8a8.5 8.5 0 0 0 0 8', stroke: '#fbbc05', width: 4.4 },
      { d: 'M4.5 16a8.5 8.5 0 0 0 13.2 2.3', stroke: '#34a853', width: 4.4 },
      { d: 'M17.7 18.3A8.5 8.5 0 0 0 20.5 12h-8.3', stroke: '#4285f4', width: 4.4 },
    ],
  },
  github: {
    viewBox: '0 0 16 16',
    shapes: [
      {
        d: 'M8 0C3.58 0 0 3.58 0 8c0 3.54 2.29 6.53 5.47 7.59.4.07.55-.17.55-.38 0-.19-.01-.82-.01-1.49-2.01.37-2.53-.49-2.69-.94-.09-.23-.48-.94-.82-1.13-.28-.15-.68-.52-.01-.53.63-.01 1.08.58 1.23.82.72 1.21 1.87.87 2.33.66.07-.52.28-.87.51-1.07-1.78-.2-3.64-.89-3.64-3.95 0-.87.31-1.59.82-2.15-.08-.2-.36-1.02.08-2.12 0 0 .67-.21 2.2.82.64-.18 1.32-.27 2-.27s1.36.09 2 .27c1.53-1.04 2.2-.82 2.2-.82.44 1.1.16 1.92.08 2.12.51.56.82 1.27.82 2.15 0 3.07-1.87 3.75-3.65 3.95.29.25.54.73.54 1.48 0 1.07-.01 1.93-.01 2.2 0 .21.15.46.55.38A8.01 8.01 0 0 0 16 8c0-4.42-3.58-8-8-8z',
      },
    ],
  },
}

/** A door with an arrow, for every provider without a mark here. */
const neutral: ProviderMark = {
  points: true,
  viewBox: '0 0 24 24',
  shapes: [
    { d: 'M14 4h4a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2h-4', stroke: 'currentColor', width: 2 },
    { d: 'M4 12h11m-4-4 4 4-4 4', stroke: 'currentColor', width: 2 },
  ],
}

/** Returns the drawing for a provider, by its id. */
export const providerMark = (id: string): ProviderMark => marks[id] ?? neutral
