import { captureRoutes, DISCOVER_STATUSES } from '@gatehouse/contract/console/capture';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { parseInput } from '../../platform/std/parse-input.ts';
import { captureHandlers } from './capture-handlers.ts';

const RUN = '5f0c2f6e-7a51-4f0c-9d5e-0a3b2c1d4e5f';

function counting() {
  const registry = new Registry();
  const handlers = captureHandlers(registry);
  const capture = (body: unknown) =>
    handlers.capture({ body: parseInput(captureRoutes.capture.body, body, 'body') } as Parameters<
      typeof handlers.capture
    >[0]);
  const counted = async () =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('gatehouse_discover_steps_total{'));
  return { capture, counted };
}

const event = (step: string, stepStatus: string, more = {}) => ({
  event: `tp.ui.discover.${step}`,
  eventData: { id: RUN, resource: 'DISCOVER_RESOURCE_SERVER', stepStatus, ...more },
});

test('steps of one run are counted by step and status, and nothing of the run is kept', async () => {
  const { capture, counted } = counting();
  await capture(event('started', 'DISCOVER_STATUS_SUCCESS'));
  await capture(event('deployService', 'DISCOVER_STATUS_SUCCESS'));
  await capture(event('testConnection', 'DISCOVER_STATUS_ERROR', { stepStatusError: 'secret words' }));
  await capture(event('testConnection', 'DISCOVER_STATUS_ERROR'));
  await capture(event('testConnection', 'DISCOVER_STATUS_ABORTED'));

  expect(await counted()).toEqual([
    'gatehouse_discover_steps_total{step="started",status="success"} 1',
    'gatehouse_discover_steps_total{step="deployService",status="success"} 1',
    'gatehouse_discover_steps_total{step="testConnection",status="error"} 2',
    'gatehouse_discover_steps_total{step="testConnection",status="aborted"} 1',
  ]);
});

test('a step or a status that nobody knows is refused and becomes no label', async () => {
  const { capture, counted } = counting();

  for (const wrong of [
    event('other', 'DISCOVER_STATUS_SUCCESS'),
    event('started', 'DISCOVER_STATUS_OTHER'),
    { event: 'tp.ui.discover.started' },
    event('started', 'DISCOVER_STATUS_SUCCESS', { resource: 'anything' }),
  ])
    expect(() => capture(wrong)).toThrow();
  expect(await counted()).toEqual([]);
});

test('other events are of no step', async () => {
  const { capture, counted } = counting();
  await capture({
    event: 'tp.ui.banner.click',
    alert: 'a',
    eventData: event('started', DISCOVER_STATUSES[0]).eventData,
  });

  expect(await counted()).toEqual([]);
});
