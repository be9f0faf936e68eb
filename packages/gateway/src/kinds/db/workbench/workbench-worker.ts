/** The thread in which results of databases are read and written out for pages: a giant one delays no terminal. */
import { parentPort } from 'node:worker_threads';
import { createBenches } from './benches.ts';
import type { ToThread } from './thread/thread-messages.ts';

const port = parentPort;
if (!port) throw new Error('this is a worker thread');
const benches = createBenches((message, bytes) =>
  port.postMessage(message, bytes ? [bytes.buffer as ArrayBuffer] : []),
);
port.on('message', (message: ToThread) => benches.hear(message));
