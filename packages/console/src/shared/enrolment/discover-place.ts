/** The place in the address of enrolling: what is enrolled, how far it is, and what has been enrolled. */
import { type Kind, kinds } from '@gatehouse/contract/kinds/kinds';
import type { SearchTexts } from '../../platform/routing/routing.tsx';
import { FLOW_STEPS, type FlowStep } from './flow.ts';

export interface DiscoverPlace {
  flow: string | undefined;
  step: FlowStep | undefined;
  /** What was enrolled, as addresses of its kind name it. */
  id: string | undefined;
  /** The token that is waited for, by its name and not its secret: another tab watches it too. */
  token: string | undefined;
  /** The cluster it is enrolled at, where that is not this gateway's own. */
  cluster: string | undefined;
  /** Before a card is chosen: only those of this kind. */
  kind: Kind | undefined;
}

export function parseDiscover(texts: SearchTexts): DiscoverPlace {
  const { flow, id, token, cluster } = texts;
  const step = FLOW_STEPS.find((each) => each === texts.step);
  return { flow, step, id, token, cluster, kind: kinds.find((each) => each === texts.kind) };
}
