import { expect, test } from 'vitest';
import { STEPS } from '../connector-paths.ts';
import { markOf } from './step-marks.ts';

const AT_SAVE = { step: 'save', furthest: 3, isNew: true, problems: [], test: 'passed' } as const;
const wrong = (path: string) => ({ path, line: 1, column: 1, message: 'is wrong' });
const marks = (more: Partial<Parameters<typeof markOf>[1]>) =>
  STEPS.map((step) => markOf(step, { ...AT_SAVE, ...more }));

test('steps that were gone through are done', () => {
  expect(marks({})).toEqual(['done', 'done', 'done', 'now']);
  expect(marks({ step: 'settings', furthest: 1 })).toEqual(['done', 'now', 'open', 'open']);
});

test('a step with something to mend is not done, and stays marked where somebody went back', () => {
  expect(marks({ problems: [wrong('spec.client_id')] })).toEqual(['done', 'faulty', 'done', 'now']);
  expect(marks({ problems: [wrong('metadata.name')] })).toEqual(['faulty', 'done', 'done', 'now']);
  expect(marks({ problems: [wrong('metadata.name')], isNew: false })).toEqual(['done', 'faulty', 'done', 'now']);
  expect(marks({ step: 'there', problems: [wrong('spec.client_id')] })).toEqual(['now', 'faulty', 'open', 'open']);
});

test('a test that was passed by, or that failed, is not done', () => {
  expect(marks({ test: undefined })).toEqual(['done', 'done', 'open', 'now']);
  expect(marks({ test: 'failed' })).toEqual(['done', 'done', 'faulty', 'now']);
});
