/** The thread that holds one SQLite connection, so that a slow query never holds up a terminal. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './sqlite-connection.ts';
import type { SqliteRequest } from './sqlite-messages.ts';

const port = parentPort!;
const connection = new SqliteConnection(workerData);

port.on('message', (first: SqliteRequest[] | 'close') => {
  let message: SqliteRequest[] | 'close' | undefined = first;
  // Whatever came in while the last batch was being synced shares the next commit.
  const batch: SqliteRequest[] = [];
  while (message !== undefined && message !== 'close') {
    for (const request of message) batch.push(request);
    message = receiveMessageOnPort(port)?.message;
  }
  connection.run(batch, (replies) => port.postMessage(replies));
  if (message === 'close') {
    connection.close();
    port.close();
  }
});
port.postMessage([]);
