/** What is under way in this tab, so that a reload loses nothing of it. Kept by name of the user: a tab outlives a sign-in. No token and no secret is ever put here. */
import { useCallback, useSyncExternalStore } from 'react';
import { z } from 'zod';
import { FLOW_STEPS, type FlowStep, type Kept } from './flow.ts';

const PREFIX = 'gatehouse_discover_';
/** More than anybody has begun at once; the one left longest ago is forgotten. */
const MAX_FLOWS = 12;

const keptFlow = z.object({
  /** Joins the counted events of one run. */
  run: z.string(),
  step: z.enum(FLOW_STEPS),
  changed: z.number(),
  kept: z.record(z.string(), z.unknown()),
});
export type KeptFlow = z.output<typeof keptFlow>;
type Flows = Readonly<Record<string, KeptFlow>>;

const NONE: Flows = {};
const read = new Map<string, { text: string | null; flows: Flows }>();
const listeners = new Set<() => void>();

/** Those of this user in this tab, by their card. */
export function useKeptFlows(user: string): Flows {
  return useSyncExternalStore(subscribe, () => flowsOf(user));
}

export function useKeptFlow(user: string, card: string) {
  const flow = useKeptFlows(user)[card];
  const keep = useCallback(
    (change: Kept) => keepOf(user, card, ({ kept }) => ({ kept: { ...kept, ...change } })),
    [user, card],
  );
  const reach = useCallback((step: FlowStep) => keepOf(user, card, () => ({ step })), [user, card]);
  const drop = useCallback(() => dropFlow(user, card), [user, card]);
  return { flow, keep, reach, drop };
}

/** Begins anew with what a card says, or with what was told of the one before. */
export function beginFlow(user: string, card: string, step: FlowStep, kept: Kept): string {
  const run = crypto.randomUUID();
  write(user, { ...flowsOf(user), [card]: { run, step, changed: Date.now(), kept: { ...kept } } });
  return run;
}

export function dropFlow(user: string, card: string): void {
  const { [card]: _, ...others } = flowsOf(user);
  write(user, others);
}

function keepOf(user: string, card: string, change: (before: KeptFlow) => Partial<KeptFlow>): void {
  const flows = flowsOf(user);
  const before = flows[card];
  if (!before) return;
  write(user, { ...flows, [card]: { ...before, ...change(before), changed: Date.now() } });
}

function write(user: string, flows: Flows): void {
  const newest = Object.entries(flows).sort(([, a], [, b]) => b.changed - a.changed);
  try {
    sessionStorage.setItem(PREFIX + user, JSON.stringify(Object.fromEntries(newest.slice(0, MAX_FLOWS))));
  } catch {
    // A browser that keeps nothing: the page itself still has it until it is left.
    read.set(user, { text: sessionStorage.getItem(PREFIX + user), flows });
  }
  for (const listener of listeners) listener();
}

function flowsOf(user: string): Flows {
  const text = sessionStorage.getItem(PREFIX + user);
  const known = read.get(user);
  if (known?.text === text) return known.flows;
  const flows = parse(text);
  read.set(user, { text, flows });
  return flows;
}

/** One that cannot be read is one less, and not the end of the others. */
function parse(text: string | null): Flows {
  try {
    const found = z.record(z.string(), z.unknown()).parse(JSON.parse(text ?? '{}'));
    const readable = Object.entries(found).flatMap(([card, value]) => {
      const flow = keptFlow.safeParse(value);
      return flow.success ? [[card, flow.data] as const] : [];
    });
    return Object.fromEntries(readable);
  } catch {
    return NONE;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
