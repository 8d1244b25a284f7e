/** @public The build's list of uploads is made of these. */
export type { UploadEntry } from './define-upload'
export { defineUpload } from './define-upload'
export { deleteFiles } from './delete-files'
export { filesRows } from './dependents'
export { resolveFiles } from './file-inputs'
export { FILE_REFUSED, filesSql, keepFiles } from './kept-files'
export { checkUploader, receiveFile } from './receive-file'
export { readBytes, sendFile } from './send-file'
