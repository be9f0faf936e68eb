import { expect, test } from 'vitest';
import { WorkerCalls } from './worker-calls.ts';

test('each caller gets the answer to its own number, in whatever order they come', async () => {
  const calls = new WorkerCalls<string>();
  const sent: number[] = [];
  const first = calls.call((number) => sent.push(number));
  const second = calls.call((number) => sent.push(number));
  calls.resolve(sent[1], 'to the second');
  calls.reject(sent[0], new Error('no answer to the first'));

  expect(await second).toBe('to the second');
  await expect(first).rejects.toThrow('no answer to the first');
  expect(calls.size).toBe(0);
});

test('when the thread is gone, everybody who waits is told', async () => {
  const calls = new WorkerCalls<string>();
  const waiting = [calls.call(() => {}), calls.call(() => {})];
  calls.rejectAll(new Error('the thread ended'));

  for (const call of waiting) await expect(call).rejects.toThrow('the thread ended');
  expect(calls.size).toBe(0);
});

test('what a call is about is known until it is answered, and which of them the thread has had longest', async () => {
  const calls = new WorkerCalls<string, { sid: string }>();
  const sent: number[] = [];
  const waiting = ['one', 'two'].map((sid) => calls.call((number) => sent.push(number), { sid }));
  expect([calls.first, calls.about(sent[1])]).toEqual([{ sid: 'one' }, { sid: 'two' }]);
  calls.resolve(sent[0], 'drawn');
  expect([calls.first, calls.about(sent[0]), calls.about(undefined)]).toEqual([{ sid: 'two' }, undefined, undefined]);
  calls.resolveAll('not drawn');

  expect(await Promise.all(waiting)).toEqual(['drawn', 'not drawn']);
  expect([calls.first, calls.size]).toEqual([undefined, 0]);
});

test('a message that answers nothing is passed over, and what cannot be sent is not waited for', async () => {
  const calls = new WorkerCalls<string>();
  calls.resolve(undefined, 'a notice of the runtime');
  calls.resolve(7, 'nobody asked');
  const unsendable = calls.call(() => {
    throw new Error('could not be cloned');
  });

  await expect(unsendable).rejects.toThrow('could not be cloned');
  expect(calls.size).toBe(0);
});
