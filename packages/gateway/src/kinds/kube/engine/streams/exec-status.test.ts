import { expect, test } from 'vitest';
import { readExecStatus } from './exec-status.ts';

const read = (status: unknown) => readExecStatus(Buffer.from(JSON.stringify(status)));
const exit = (message: string) => ({
  ...{ status: 'Failure', reason: 'NonZeroExitCode', message: 'command terminated' },
  details: { causes: [{ reason: 'Other' }, { reason: 'ExitCode', message }] },
});

test('how a command ended is read from the status of clusters', () => {
  expect(read({ metadata: {}, status: 'Success' })).toEqual({ code: 0 });
  expect(read(exit('137'))).toEqual({ code: 137, message: 'command terminated' });
  expect(read({ status: 'Failure', reason: 'InternalError', message: 'no such container' })).toEqual({
    message: 'no such container',
  });
});

test('a code that is none is not believed, nor is what is no status', () => {
  expect(read(exit('-1 or so'))).toEqual({ message: 'command terminated' });
  expect(read({ status: 'Failure' })).toEqual({ message: 'the cluster does not say why' });
  expect(read({ status: 'Failure', message: 'x'.repeat(10_000) })?.message).toHaveLength(500);
  expect([readExecStatus(Buffer.alloc(0)), readExecStatus(Buffer.from('killed')), read([])]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
