import { defineFwConfig } from '#fw'

export default defineFwConfig({ brand: { name: '{{quotedTitle}}' } })
