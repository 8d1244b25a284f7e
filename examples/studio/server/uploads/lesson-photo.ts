import { defineUpload } from '#fw'

export default defineUpload({
  description: 'The photo of a lesson.',
  accept: ['image/*'],
  maxSize: 20 * 1024 * 1024,
})
