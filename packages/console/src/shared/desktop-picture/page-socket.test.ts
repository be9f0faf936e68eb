import { expect, test } from 'vitest';
import { joinBytes, offerPageSocket, openPageSocket } from './page-socket.ts';

const nextTurn = () => new Promise((resolve) => setTimeout(resolve));

test('it opens, answers the way there by itself, and passes on only what comes after', async () => {
  const said: Uint8Array[] = [];
  const heard: Uint8Array[] = [];
  const offer = offerPageSocket({ onSend: (bytes) => said.push(bytes) });
  const socket = openPageSocket(offer.url);
  let isReady = false;
  void offer.ready.then(() => {
    isReady = true;
  });
  socket.addEventListener('message', (event) => heard.push(new Uint8Array((event as MessageEvent).data)));
  await new Promise((resolve) => socket.addEventListener('open', resolve));

  expect(isReady).toBe(false);
  socket.send(Uint8Array.of(0x30, 0));
  await nextTurn();

  expect(isReady).toBe(true);
  expect(said).toEqual([]);
  expect(heard).toHaveLength(1);
  const answer = heard[0] as Uint8Array;
  // One DER sequence, its version first, as long as it says.
  expect([...answer.subarray(0, 2)]).toEqual([0x30, 0x82]);
  expect(answer.length).toBe(4 + new DataView(answer.buffer).getUint16(2));
  expect([...answer.subarray(4, 10)]).toEqual([0xa0, 4, 2, 2, 0x0d, 0x3e]);

  const memory = Uint8Array.of(3, 0, 0, 8);
  socket.send(memory);
  memory.fill(0);
  expect(said.map((bytes) => [...bytes])).toEqual([[3, 0, 0, 8]]);

  const frame = Uint8Array.of(1, 3, 0, 0, 7);
  offer.push(frame.subarray(1));
  expect([...(heard[1] as Uint8Array)]).toEqual([3, 0, 0, 7]);
});

test('once closed it says and hears nothing more, and tells so once', async () => {
  let closed = 0;
  const said: unknown[] = [];
  const offer = offerPageSocket({ onSend: (bytes) => said.push(bytes), onClose: () => closed++ });
  const socket = openPageSocket(offer.url);
  await nextTurn();
  const told: unknown[] = [];
  socket.addEventListener('close', (event) => told.push((event as CloseEvent).code));
  socket.close();
  socket.close();
  socket.send(Uint8Array.of(1));
  offer.push(Uint8Array.of(1));

  expect({ closed, said, told }).toEqual({ closed: 1, said: [], told: [1000] });
});

test('a client gets only what was offered to it, once', () => {
  const offer = offerPageSocket({ onSend: () => undefined });
  openPageSocket(offer.url);

  expect(() => openPageSocket(offer.url)).toThrow('no socket was offered');
  expect(() => openPageSocket('wss://elsewhere.test')).toThrow('no socket was offered');
});

test('what the client would send as a Blob goes as its bytes; anything else is refused and not sent empty', async () => {
  const said: number[][] = [];
  const offer = offerPageSocket({ onSend: (bytes) => said.push([...bytes]) });
  const socket = openPageSocket(offer.url);
  await nextTurn();
  socket.send(Uint8Array.of(0x30));
  socket.send(joinBytes([Uint8Array.of(3, 0), Uint8Array.of(), Uint8Array.of(7)]));

  expect(() => socket.send(new Blob(['x']) as unknown as Uint8Array)).toThrow('bytes alone');
  expect(said).toEqual([[3, 0, 7]]);
});
