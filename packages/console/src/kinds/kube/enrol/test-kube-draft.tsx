/** Tries the way to a cluster as the kubeconfig has it, before it is saved: up to whether the gateway may act as others there. */
import { kubeKind } from '@gatehouse/contract/kinds/kube/kube-kind';
import { kubeName } from '@gatehouse/contract/kinds/kube/kube-spec';
import ShipWheel from 'lucide-react/icons/ship-wheel';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { DraftTest } from '../../../shared/connection-steps/draft-test.tsx';
import { labelsOf, wrongPair } from '../../../shared/enrolment/label-pair.ts';
import type { Imported } from './read-kubeconfig.ts';

interface TestKubeDraftProps {
  clusterId: string;
  name: string;
  pairs: readonly string[];
  through: readonly string[];
  imported: Imported;
}

/** The panel of one that is there calls them so as well. */
const TITLES = {
  reach: 'kube-panel.step-reach',
  tcp: 'kube-panel.step-tcp',
  tls: 'kube-panel.step-tls',
  login: 'kube-panel.step-version',
  rights: 'kube-panel.step-impersonate',
} as const satisfies Record<(typeof kubeKind.draftSteps)[number], string>;

export function TestKubeDraft({ clusterId, name, pairs, through, imported }: TestKubeDraftProps) {
  const t = useTranslate();
  const [agent] = through;
  const named = kubeName.safeParse(name).success ? { name } : {};
  const labels = wrongPair(pairs) === undefined ? labelsOf(pairs) : {};
  const wanted = {
    ...{ kind: 'kube_cluster', spec: { ...named, labels, ...imported } },
    ...(agent === undefined ? {} : { through: agent }),
  };
  return (
    <DraftTest
      clusterId={clusterId}
      steps={kubeKind.draftSteps.map((step) => ({ step, title: t(TITLES[step]) }))}
      wanted={wanted}
      target={{ name, at: imported.server, icon: ShipWheel, agent }}
    />
  );
}
