/** For a process that was started with a channel to its parent: it stops when the parent is gone, however that ended. */
const stop = () => process.kill(process.pid, 'SIGTERM')
process.once('disconnect', stop)
process.once('SIGHUP', stop) // the terminal was closed: it still ends its database
process.channel?.unref() // the channel alone does not keep it running
