import { expect, test } from 'vitest';
import { namesIn } from './db-list.ts';

test('of Redis, databases are numbers, whatever else somebody is given elsewhere', () => {
  expect(namesIn('redis', ['postgres', '0', 'shop', '3', '*'])).toEqual(['0', '3', '*']);
  expect(namesIn('postgres', ['postgres', '0', '*'])).toEqual(['postgres', '0', '*']);
});
