// Vitest ends its workers by a signal, and Node then tells nobody of the exit: servers and folders of the tests would stay.
process.once('SIGTERM', () => {
  process.emit('exit', 143)
  process.kill(process.pid, 'SIGKILL')
})
