import { defineEventHandler } from 'h3'

/** Returns 200 while the process runs. */
export default defineEventHandler(() => ({ status: 'live' }))
