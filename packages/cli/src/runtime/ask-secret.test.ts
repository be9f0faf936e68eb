import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { askSecret } from './ask-secret.ts';

function terminal() {
  const keys = Object.assign(new EventEmitter(), {
    setRawMode: vi.fn(),
    setEncoding: vi.fn(),
    resume: vi.fn(),
    pause: vi.fn(),
  });
  const shown: string[] = [];
  const interrupt = vi.fn(() => true);
  const asked = askSecret('Secret: ', keys, { write: (text: string) => void shown.push(text) }, interrupt);
  return { keys, shown, interrupt, asked };
}

test.each([
  ['a line that was typed', ['s', '3', 'cr', 'et', '\r'], 's3cret'],
  ['one that was pasted with its end', ['s3cret\n'], 's3cret'],
  ['one with slips of the fingers', ['wrong\u0015s3x\u007fcrett\b\r'], 's3cret'],
  ['letters of more than one unit', ['a😀\u007f🔑\r'], 'a🔑'],
  ['nothing', ['\u0004'], ''],
])('%s is read and never shown', async (_, typed, secret) => {
  const { keys, shown, asked } = terminal();

  for (const text of typed) keys.emit('data', text);

  expect(await asked).toBe(secret);
  expect(shown).toEqual(['Secret: ', '\n']);
  expect(keys.setRawMode.mock.calls).toEqual([[true], [false]]);
  expect(keys.listenerCount('data')).toBe(0);
});

test('Ctrl-C gives the terminal back and ends the program', async () => {
  const { keys, interrupt, asked } = terminal();

  keys.emit('data', 's3c\u0003');

  await expect(asked).rejects.toThrow('interrupted');
  expect(interrupt).toHaveBeenCalledOnce();
  expect(keys.setRawMode).toHaveBeenLastCalledWith(false);
});
