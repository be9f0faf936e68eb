/** Kubernetes clusters in words. */
import type { KubeCluster, KubeClusterDetails } from '@gatehouse/contract/kinds/kube/kubernetes';
import { printable } from '@gatehouse/contract/std/printable';
import { table } from '../../output/table.ts';

export function tellKubes(all: readonly KubeCluster[]): string {
  if (all.length === 0) return 'no Kubernetes clusters\n';
  const rows = all.map((each) => [
    each.name,
    each.gatehouse?.server ?? '',
    each.kubernetes_users.join(',') || '-',
    each.kubernetes_groups.join(',') || '-',
    labelsOf(each),
    notesOf(each),
  ]);
  return table([['NAME', 'SERVER', 'USERS', 'GROUPS', 'LABELS', 'NOTES'], ...rows]);
}

export function tellKube({ item, ...more }: KubeClusterDetails): string {
  const facts: [string, string | undefined][] = [
    ['name', item.name],
    ['server', more.server],
    ['server name', more.serverName],
    ['authority', more.ca === '' ? '' : 'its own'],
    [
      'reached by',
      more.agents.map(({ name, connected }) => `${name}${connected ? '' : ' (not connected)'}`).join(', '),
    ],
    ['credential', credentialOf(item)],
    ['credential ends', item.gatehouse?.credentialEnds],
    ['lets nobody in', item.gatehouse?.wrong],
    ['namespaces', more.namespaces.join(', ')],
    ['your users', item.kubernetes_users.join(', ')],
    ['your groups', item.kubernetes_groups.join(', ')],
    ['labels', labelsOf(item)],
    ['notes', notesOf(item)],
  ];
  return table(facts.filter(([, value]) => value).map(([name, value]) => [name, value ?? '']));
}

/** Who adds one is not thereby let in: that is for roles and traits to say, and worth knowing before kubectl does. */
export function tellAddedKube({ name, kubernetes_groups: mine }: KubeCluster): string {
  return [
    `Kubernetes cluster '${printable(name)}' added\n`,
    mine.length > 0 ? '' : 'Let somebody in with: gatehouse users edit NAME --kube-groups GROUP\n',
  ].join('');
}

/** Where it comes from, and whether it is there: an address that was changed has voided it. */
function credentialOf({ gatehouse }: KubeCluster): string {
  if (gatehouse?.credential === 'agent') return 'given by its agent';
  return gatehouse?.lacks.includes('credential') ? 'none' : 'stored';
}

function labelsOf({ labels }: KubeCluster): string {
  return labels.map(({ name, value }) => `${name}=${value}`).join(',') || '-';
}

function notesOf({ gatehouse }: KubeCluster): string {
  if (!gatehouse) return '';
  const { lacks, insecure, wrong, credentialEnds } = gatehouse;
  return [
    wrong === undefined ? '' : `lets nobody in: ${wrong}`,
    lacks.includes('credential') ? 'no credential is stored' : '',
    lacks.includes('agent') ? 'no agent that reaches it is connected' : '',
    insecure ? 'its certificate is not checked' : '',
    credentialEnds === undefined ? '' : `credential ends ${credentialEnds}`,
  ]
    .filter((note) => note !== '')
    .join('; ');
}
