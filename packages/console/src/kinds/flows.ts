/** How things of every kind are enrolled. Apart from the kinds' rows, because only the page that enrols reads it. The compiler asks for the row of a new kind. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { KindFlows } from '../shared/enrolment/flow.ts';
import { appFlows } from './app/app-flows.ts';
import { dbFlows } from './db/db-flows.ts';
import { desktopFlows } from './desktop/desktop-flows.ts';
import { kubeFlows } from './kube/kube-flows.ts';
import { nodeFlows } from './node/node-flows.ts';

export const KIND_FLOWS: { readonly [K in Kind]: KindFlows } = {
  node: nodeFlows,
  app: appFlows,
  kube: kubeFlows,
  db: dbFlows,
  desktop: desktopFlows,
};
