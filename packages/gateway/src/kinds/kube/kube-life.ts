/** What a change of a Kubernetes cluster means for sessions with it: what was allowed is what is reached, with what was shown to it. */
import { readStoredKube } from '@gatehouse/contract/kinds/kube/kube-spec';
import { canonicalJson } from '../../platform/std/canonical-json.ts';
import type { ResourceLife } from '../../sessions/host/resource-life.ts';
import { kubeTargetOf } from './listed-kube.ts';

export const kubeLife: ResourceLife = {
  called: 'Kubernetes cluster',
  isAnother: (before, now) => reachedOf(before.spec) !== reachedOf(now.spec),
};

/** Its labels are decided about anew; screens alone look at its namespaces. */
function reachedOf(stored: unknown): string {
  const { spec } = readStoredKube(stored);
  return canonicalJson([kubeTargetOf(spec), spec.through, spec.mark]);
}
