/** The thread that holds resources in memory, so that searching a hundred thousand of them holds up nothing else. */
import { parentPort } from 'node:worker_threads';
import { createIndexShelves, type IndexMessage, type IndexReply } from './index-requests.ts';

const port = parentPort!;
const handle = createIndexShelves();

port.on('message', (message: IndexMessage | 'close') => {
  if (message === 'close') return port.close();
  port.postMessage(answer(message));
});

function answer({ number, ...request }: IndexMessage): IndexReply {
  try {
    return { number, found: handle(request) };
  } catch (error) {
    return { number, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
