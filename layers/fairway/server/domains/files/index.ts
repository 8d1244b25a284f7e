/** @public The build's list of uploads is made of these. */
export type { UploadEntry } from './define-upload'
export { defineUpload } from './define-upload'
export { deleteFiles } from './delete-files'
export { filesRows } from './dependents'
export { checkFiles } from './ticket'
export { FILE_REFUSED, filesSql, type HeldFile, heldFiles, keepFiles } from './kept-files'
export { checkUploader, receiveFile, storeFile } from './receive-file'
export { csvRows, findStoredFile, type OpenFile, openFile, readBytes, readWhole, sendFile } from './send-file'
