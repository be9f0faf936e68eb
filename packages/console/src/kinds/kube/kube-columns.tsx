/** The columns of the table of Kubernetes clusters: name with its mark, who one is there, labels, whether it can be reached, the way in. */
import type { KubeCluster } from '@gatehouse/contract/kinds/kube/kubernetes';
import { ONE_LINE } from '@gatehouse/design/class-names';
import type { Column } from '@gatehouse/design/table-head';
import { useMemo } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { connectColumn, type ListedOn, labelsColumn } from '../../shared/resource-list/resource-columns.tsx';
import { ConnectCell } from './connect/connect-cell.tsx';
import { InsecureBadge, KubeStatus } from './kube-status.tsx';
import styles from './kubernetes.module.css';

export function useKubeColumns(
  { clusterId, isNarrow, isPicked, onPick }: ListedOn,
  onConnect: (name: string) => void,
): Column<KubeCluster>[] {
  const t = useTranslate();
  return useMemo(() => {
    const names = (given: readonly string[], none: string) => (
      <span className={`${ONE_LINE} ${styles.names}`} title={given.join(', ')}>
        {given.length === 0 ? none : given.join(', ')}
      </span>
    );
    const columns: (Column<KubeCluster> | false)[] = [
      {
        id: 'name',
        title: t('kubernetes.name'),
        sortKey: 'name',
        width: isNarrow ? '36%' : '20%',
        cell: (cluster) => (
          <span className={styles.marked} title={cluster.name}>
            <span className={ONE_LINE}>{cluster.name}</span>
            <InsecureBadge cluster={cluster} />
          </span>
        ),
      },
      !isNarrow && {
        id: 'groups',
        title: t('kubernetes.groups'),
        width: '16%',
        card: 'subtitle',
        cell: ({ kubernetes_groups }) => names(kubernetes_groups, t('kubernetes.no-groups')),
      },
      labelsColumn(t('kubernetes.labels'), ({ labels }) => labels, { isPicked, onPick }),
      {
        id: 'status',
        title: t('kubernetes.status'),
        width: '200px',
        card: 'end',
        cell: (cluster) => <KubeStatus cluster={cluster} />,
      },
      connectColumn(t('kubernetes.connect'), (cluster) => (
        <ConnectCell clusterId={clusterId} cluster={cluster} onCommands={onConnect} />
      )),
    ];
    return columns.filter((column) => column !== false);
  }, [t, clusterId, isNarrow, isPicked, onPick, onConnect]);
}
