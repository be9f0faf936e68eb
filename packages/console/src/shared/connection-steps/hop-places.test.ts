import type { ConnectionDiagnostic, Trace } from '@gatehouse/contract/sessions/diagnostics';
import { expect, test } from 'vitest';
import { legsOf, stopOf } from './hop-places.ts';

const said = (...steps: [step: string, status: Trace['status']][]): ConnectionDiagnostic => ({
  id: 'd-1',
  success: steps.every(([, status]) => status === 'SUCCESS'),
  message: '',
  traces: steps.map(([step, status]) => ({ status, gatehouse: { step: step as 'tcp', durationMs: 3 } })),
});
const [DIRECT, BY_AGENT] = [3, 4];

test.each([
  ['access', DIRECT, 1],
  ['reach', DIRECT, 2],
  ['reach', BY_AGENT, 2],
  ['tcp', DIRECT, 2],
  ['tcp', BY_AGENT, 3],
  ['login', BY_AGENT, 3],
])('what fails at %s on a way of %i hops stops at hop %i', (step, hops, stop) => {
  expect(stopOf(said([step, 'FAILED']), hops)).toBe(stop);
});

test('what works stops nowhere, and what never began has no way', () => {
  expect(stopOf(said(['reach', 'SUCCESS'], ['tcp', 'SUCCESS']), DIRECT)).toBe(DIRECT);
  expect(stopOf(said(), DIRECT)).toBe(undefined);
  expect(stopOf({ id: 'd-1', success: false, message: 'no' }, DIRECT)).toBe(undefined);
});

test('each leg is as long as its steps together, and one without a step says nothing', () => {
  const all = said(['access', 'SUCCESS'], ['access', 'SUCCESS'], ['reach', 'SUCCESS'], ['tcp', 'SUCCESS']);

  expect(legsOf(all, DIRECT)).toEqual([6, 6]);
  expect(legsOf(all, BY_AGENT)).toEqual([6, 3, 3]);
  expect(legsOf(said(['reach', 'SUCCESS']), BY_AGENT)).toEqual([undefined, 3, undefined]);
});
