import ChartLine from 'lucide-react/icons/chart-line';
import Cloud from 'lucide-react/icons/cloud';
import Workflow from 'lucide-react/icons/workflow';
import { expect, test } from 'vitest';
import { pictureOf } from './pictures.ts';

test.each([
  ['the one it was given wins over its name', { name: 'grafana', icon: 'cloud' }, Cloud],
  ['a part of the name tells', { name: 'team-grafana-eu', icon: '' }, ChartLine],
  ['a word nobody knows is read like a name', { name: 'x', icon: 'jenkins' }, Workflow],
  ['a short word stands for itself', { name: 'ci', icon: '' }, Workflow],
  ['and not for words that begin with it', { name: 'city-map', icon: '' }, undefined],
  ['a name of an object property is no picture', { name: 'x', icon: 'constructor' }, undefined],
])('%s', (_, app, icon) => {
  expect(pictureOf(app)).toBe(icon);
});
