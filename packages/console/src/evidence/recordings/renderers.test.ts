import { RECORDING_TYPES } from '@gatehouse/contract/recordings/recording-types';
import { expect, test } from 'vitest';
import { builtRenderer, RENDERERS, rendererCode, rendererOf } from './renderers.ts';

test('every type of recording is drawn, or says why not; others are not known', () => {
  expect(RECORDING_TYPES).toEqual(['ssh', 'k8s', 'desktop']);
  expect(Object.keys(RENDERERS).sort()).toEqual([...RECORDING_TYPES].sort());
  expect(rendererOf('desktop')).toMatchObject({ missing: 'recordings.not-terminal' });
  expect(rendererOf('vhs')).toBeUndefined();
  expect(rendererOf('constructor')).toBeUndefined();
});

test('before a recording is known it is drawn as a terminal, and code that several types share is fetched once', () => {
  expect(builtRenderer(undefined)).toBe(RENDERERS.ssh);
  expect(builtRenderer('k8s')).toBe(RENDERERS.ssh);
  expect(builtRenderer('desktop')).toBeUndefined();
  expect(rendererCode()).toHaveLength(1);
});
