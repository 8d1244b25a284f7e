import { defineFwConfig } from '#fw'

export default defineFwConfig({
  brand: { name: '{{quotedTitle}}' },
  // A mistyped filter of a list returns 400 instead of all rows.
  collections: { unknownParameters: 'refuse' },
})
