/** The whole answer to a call, when it is no larger than it may be: whoever answers could go on without end. */
import type { ClientRequest } from 'node:http';
import type { Received } from '@gatehouse/contract/wire/client';

/** Whoever calls sends the call afterwards. */
export function wholeAnswer(call: ClientRequest, maxBytes: number, tooLarge: () => Error): Promise<Received> {
  return new Promise((resolve, reject) => {
    call.on('error', reject);
    call.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) call.destroy(tooLarge());
        else chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
  });
}
