/** Calls a gateway of a test as its owner does, through the socket in its data folder. */
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Send } from '@gatehouse/contract/wire/client';

/** What the product does for paths too long and sockets of strangers is not needed here: folders of tests are short, and ours. */
export function ownerSend(dataDir: string): Send {
  return ({ method, url, body }) =>
    new Promise((resolve, reject) => {
      const headers = { host: 'localhost', ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
      const socketPath = join(dataDir, 'gatehouse.sock');
      const sent = request({ socketPath, method, path: url, headers, agent: false }, (response) => {
        text(response).then((said) => resolve({ status: response.statusCode ?? 0, text: said }), reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
}
