import { RECORDING_TYPES } from '@gatehouse/contract/recordings/recording-types';
import { expect, test } from 'vitest';
import { builtRenderer, isList, isPicture, isPlayed, RENDERERS, rendererCode, rendererOf } from './renderers.ts';

test('every type of recording is drawn, or says why not; others are not known', () => {
  expect(RECORDING_TYPES).toEqual(['ssh', 'k8s', 'db', 'desktop']);
  expect(RECORDING_TYPES.filter((type) => rendererOf(type) === undefined)).toEqual([]);
  expect(RECORDING_TYPES.map(isPlayed)).toEqual([true, true, true, true]);
  expect(['db', 'ssh', undefined].map(isList)).toEqual([true, false, false]);
  expect(RECORDING_TYPES.filter(isPicture)).toEqual(['desktop']);
  expect(rendererOf('vhs')).toBeUndefined();
  for (const other of ['app', 'constructor']) expect(rendererOf(other)).toBeUndefined();
});

test('before a recording is known it is drawn as a terminal', () => {
  for (const type of [undefined, 'ssh', 'k8s']) expect(builtRenderer(type)).toBe(RENDERERS.terminal);
  expect(builtRenderer('desktop')).toBe(RENDERERS.desktop);
  expect(builtRenderer('db')).toBeUndefined();
  expect(rendererCode()).toHaveLength(1);
});
