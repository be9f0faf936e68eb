import { duplexPair } from 'node:stream';
import { setImmediate as soon } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { hearWholeIdent } from './whole-ident.ts';

function listening(most?: number) {
  const [stream, far] = duplexPair();
  const heard: string[] = [];
  hearWholeIdent(stream, most);
  stream.on('data', (bytes: Buffer) => heard.push(String(bytes)));
  stream.on('error', (error) => heard.push(error.message));
  const say = async (text: string) => {
    if (!far.destroyed) far.write(text);
    await soon();
    await soon();
  };
  return { stream, heard, say };
}

test('a name comes whole, with what was greeted before it, and the rest as it comes', async () => {
  const { heard, say } = listening();
  for (const piece of ['Wel', 'come\r\nSSH', '-2.0-', 'a\r', '\nfirst', 'second']) await say(piece);

  expect(heard).toEqual(['Welcome\r\nSSH-2.0-a\r\nfirst', 'second']);
});

test('who greets without end, in lines or without, is cut', async () => {
  for (const piece of ['hello\r\n', 'hello']) {
    const { stream, heard, say } = listening(1_000);
    for (let turn = 0; turn < 300; turn++) await say(piece);

    expect(heard).toEqual(['it did not say what it speaks']);
    expect(stream.destroyed).toBe(true);
  }
});
