import { expect, test, vi } from 'vitest';
import { MAX_UNSENT_BYTES, SparingSocket } from './sparing-socket.ts';

function fakeSocket() {
  const sent: string[] = [];
  return {
    sent,
    OPEN: 1 as const,
    readyState: 1 as 0 | 1 | 2 | 3,
    bufferedAmount: 0,
    terminate: vi.fn(),
    send: (data: unknown) => void sent.push(String(data)),
  };
}

test('of news that wait for somebody who does not read, only the newest is sent', async () => {
  const socket = fakeSocket();
  const sparing = new SparingSocket(socket);
  sparing.latest('program', () => 'vi');
  socket.bufferedAmount = 100_000;

  for (let count = 0; count < 10_000; count++) sparing.latest('program', () => `program ${count}`);
  sparing.latest('parties', () => 'ann');
  sparing.latest('old', () => undefined);
  expect(socket.sent).toEqual(['vi']);
  socket.bufferedAmount = 0;

  await vi.waitFor(() => expect(socket.sent).toEqual(['vi', 'program 9999', 'ann']));
});

test('who leaves too much lying is cut off, and nothing is added', () => {
  const socket = fakeSocket();
  const sparing = new SparingSocket(socket);
  socket.bufferedAmount = MAX_UNSENT_BYTES + 1;

  sparing.send('one more');
  sparing.latest('program', () => 'vi');

  expect(socket.sent).toEqual([]);
  expect(socket.terminate).toHaveBeenCalled();
});

test('what is about to be added counts: one that is too large on its own cuts off too', () => {
  const socket = fakeSocket();
  const sparing = new SparingSocket(socket);

  sparing.send('x'.repeat(MAX_UNSENT_BYTES));
  expect(socket.terminate).not.toHaveBeenCalled();
  sparing.send('ü'.repeat(MAX_UNSENT_BYTES / 2 + 1));

  expect(socket.sent).toHaveLength(1);
  expect(socket.terminate).toHaveBeenCalledTimes(1);
});

test('nothing is sent on a socket that closes', () => {
  const socket = fakeSocket();
  socket.readyState = 2;

  new SparingSocket(socket).send('late');

  expect(socket.sent).toEqual([]);
});
