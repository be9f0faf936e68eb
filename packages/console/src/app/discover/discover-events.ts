/** Says how far somebody has come, under one id for each run: the step that people leave at is then visible in the gateway's own metrics. */
import type { Captured } from '@gatehouse/contract/console/capture';
import { capture } from '../../platform/telemetry/usage.ts';
import type { FlowStep } from '../../shared/enrolment/flow.ts';

type DiscoverEvent = Extract<Captured, { event: `tp.ui.discover.${string}` }>;
export type DiscoverStatus = DiscoverEvent['eventData']['stepStatus'];

/** What the wire calls a step; those of ours that it has no word for are not told. */
const STEP_EVENTS: Partial<Record<FlowStep, DiscoverEvent['event']>> = {
  run: 'tp.ui.discover.deployService',
  principals: 'tp.ui.discover.principals.configure',
  test: 'tp.ui.discover.testConnection',
  done: 'tp.ui.discover.completed',
};

/** Who leaves before the first step that it has a word for has come no further than to choose. */
const CHOSEN = 'tp.ui.discover.resourceSelection';

interface Run {
  run: string;
  resource: string;
}

export function tellStarted({ run, resource }: Run): void {
  tell('tp.ui.discover.started', { run, resource: '' }, 'DISCOVER_STATUS_SUCCESS');
  tell(CHOSEN, { run, resource }, 'DISCOVER_STATUS_SUCCESS');
}

export function tellStep(step: FlowStep, run: Run, status: DiscoverStatus): void {
  const event = STEP_EVENTS[step] ?? (status === 'DISCOVER_STATUS_ABORTED' ? CHOSEN : undefined);
  if (event) tell(event, run, status);
}

function tell(event: DiscoverEvent['event'], { run, resource }: Run, stepStatus: DiscoverStatus): void {
  capture({ event, eventData: { id: run, resource, stepStatus } });
}
