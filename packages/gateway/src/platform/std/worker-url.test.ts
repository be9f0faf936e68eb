import { expect, test } from 'vitest';
import { workerUrl } from './worker-url.ts';

test('a worker lies beside its TypeScript source, or beside the bundle', () => {
  expect(workerUrl('sqlite-worker', 'file:///clone/src/sqlite/sqlite-channel.ts').href).toBe(
    'file:///clone/src/sqlite/sqlite-worker.ts',
  );
  expect(workerUrl('sqlite-worker', 'file:///app/dist/gateway.js').href).toBe('file:///app/dist/sqlite-worker.js');
});
