import { resourceLabels } from '@gatehouse/contract/std/resource-fields';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseInput } from './parse-input.ts';

const body = z.object({ labels: resourceLabels });

test('the field that is wrong is named, and what is wrong with it', () => {
  expect(() => parseInput(body, { labels: 5 }, 'body')).toThrow(/^body 'labels': invalid input/);
});

test('of a name that cannot be one it is said what it is no name of', () => {
  expect(() => parseInput(body, { labels: { 'a b': 'c' } }, 'body')).toThrow(/^body 'labels.a b': is no label name$/);
});
