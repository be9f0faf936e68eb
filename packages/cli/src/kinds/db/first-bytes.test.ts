import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { readFirstWords } from './first-bytes.ts';

/** Both ends of a connection on this machine. */
async function connected(): Promise<{ program: Socket; heard: Socket }> {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const program = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay();
  const [heard] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => {
    program.destroy();
    heard.destroy();
    server.close();
  });
  return { program, heard };
}

/** A message without a type, as the first ones are: its length, a code, and what follows. */
function message(code: number, rest = ''): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(8 + rest.length, 0);
  bytes.writeUInt32BE(code, 4);
  return Buffer.concat([bytes, Buffer.from(rest)]);
}

test('a program that says it byte by byte is heard, and nobody is left waiting at its socket', async () => {
  const { program, heard } = await connected();
  const waiting = () => heard.listenerCount('close') + heard.listenerCount('error') + heard.listenerCount('readable');
  const before = waiting();
  const startup = message(196_608, 'user\0app\0database\0shop\0\0');

  const words = readFirstWords(heard);
  for (const byte of startup) {
    const taken = heard.bytesRead;
    program.write(Buffer.of(byte));
    // The next one only when this one has come: otherwise they come together.
    await expect.poll(() => heard.bytesRead, { interval: 1 }).toBe(taken + 1);
  }

  expect(await words).toEqual({ wants: 'session', bytes: startup });
  expect(startup.length).toBeGreaterThan(20);
  expect(waiting()).toBe(before);
});

test('one who leaves in the middle of a word is told of', async () => {
  const { program, heard } = await connected();
  const words = readFirstWords(heard);
  program.end(message(196_608, 'user').subarray(0, 6));

  await expect(words).rejects.toThrow('the program left');
});
