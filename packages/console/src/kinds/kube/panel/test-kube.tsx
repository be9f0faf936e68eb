/** Tries a Kubernetes cluster as oneself, step by step: whether it is reached, lets the gateway act as one, and lists pods. */
import { kubeKind } from '@gatehouse/contract/kinds/kube/kube-kind';
import type { KubeClusterDetails } from '@gatehouse/contract/kinds/kube/kubernetes';
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import ShipWheel from 'lucide-react/icons/ship-wheel';
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { ConnectionTest, type TriedConnection } from '../../../shared/connection-steps/connection-test.tsx';

interface TestKubeProps {
  clusterId: string;
  details: KubeClusterDetails;
}

export function TestKube({ clusterId, details: { item, namespaces, server, agents } }: TestKubeProps) {
  const t = useTranslate();
  const users = item.kubernetes_users.filter((user) => user !== '*');
  const [user, setUser] = useState(users[0] ?? '');
  const [namespace, setNamespace] = useState(namespaces[0] ?? 'default');
  const wanted = (): TriedConnection | undefined => {
    if (namespace.trim() === '') return undefined;
    return {
      asked: {
        ...{ resource_kind: 'kube_cluster', resource_name: item.name, kubernetes_namespace: namespace.trim() },
        ...(users.length > 1 ? { kubernetes_impersonation: { kubernetes_user: user } } : {}),
      },
      factor: { kube: { cluster_name: item.name } },
    };
  };
  return (
    <ConnectionTest
      clusterId={clusterId}
      steps={kubeKind.testSteps.map((step) => ({ step, title: t(`kube-panel.step-${step}`) }))}
      lead={t('kube-panel.test-lead')}
      wanted={wanted}
      fields="several"
      target={{ name: item.name, at: server, icon: ShipWheel, agent: agents[0]?.name }}
    >
      {users.length > 1 && (
        <Select
          label={t('kube-panel.test-user')}
          hint={t('kube-panel.test-user-hint')}
          value={user}
          options={users.map((name) => ({ value: name, label: name }))}
          onValueChange={setUser}
        />
      )}
      <TextField
        label={t('kube-panel.test-namespace')}
        hint={t('kube-panel.test-namespace-hint')}
        mono
        value={namespace}
        onValueChange={setNamespace}
      />
    </ConnectionTest>
  );
}
