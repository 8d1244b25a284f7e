import { defineFwConfig } from '#fw'

export default defineFwConfig({ name: '{{quotedTitle}}' })
