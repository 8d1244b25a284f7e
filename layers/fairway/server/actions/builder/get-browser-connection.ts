import { z } from 'zod'
import { definePlatformAction, getBrowserConnection } from '#fairway/server/domains/actions'

export default definePlatformAction({
  isOffered: ({ builder }) => builder.credentials !== undefined,
  admits: ({ builder }) => builder.admitted,
  description: 'Opens a browser at the connected builder service and returns the address that controls it.',
  input: z.object({
    sessionId: z
      .string()
      .regex(/^[\w-]{1,128}$/, 'Use up to 128 letters, digits, hyphens and underscores.')
      .optional()
      .describe('The session to go on with; a new one when not given.'),
  }),
  output: z.object({ wsUrl: z.string(), sessionId: z.string() }),
  // Longer than the service's limit of 30 seconds, so that its failure is reported as such.
  timeout: 40,
  run: (input, { signal }) => getBrowserConnection(input, signal),
})
