/** Where somebody is in a flow, for the steps of every kind: what was typed, what is enrolled, and the ways on and back. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { createContext, useContext } from 'react';
import type { FlowCard, FlowStep, FlowWay, JoinedThing, Kept } from './flow.ts';

export interface FlowPlace {
  clusterId: string;
  kind: Kind;
  card: FlowCard;
  /** Those that may be taken, and the one that is. */
  ways: readonly FlowWay[];
  way: FlowWay;
  step: FlowStep;
  kept: Kept;
  keep: (change: Kept) => void;
  /** What is enrolled, once it is. */
  thing: JoinedThing | undefined;
  /** One id for all that is counted of this run. */
  run: { run: string; resource: string };
  go: (step: FlowStep) => void;
  /** Makes the command, or another in its place. */
  makeToken: () => Promise<boolean>;
  /** To the next step; what was just enrolled comes along. */
  next: (enrolled?: JoinedThing) => void;
  /** To the one before; nothing at the first, where one chooses again. */
  previous: { word: string; go: () => void } | undefined;
  /** The next step is being made ready. */
  isBusy: boolean;
  /** Why it could not be. */
  failure: string | undefined;
}

const FlowContext = createContext<FlowPlace | undefined>(undefined);
export const FlowProvider = FlowContext.Provider;

export function useFlow(): FlowPlace {
  const place = useContext(FlowContext);
  if (!place) throw new Error('no flow: is FlowProvider around this step?');
  return place;
}
