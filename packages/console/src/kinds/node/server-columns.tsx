/** The columns of the list of servers: name, address or the way through its agent, labels, whether it answers, who used it last, Connect. */

import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import { Icon } from '@gatehouse/design/icon';
import type { Column } from '@gatehouse/design/table-head';
import Cable from 'lucide-react/icons/cable';
import { useMemo } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { connectColumn, type ListedOn, labelsColumn } from '../../shared/resource-list/resource-columns.tsx';
import { ConnectCell, type Connecting } from './connect/connect-cell.tsx';
import { LastUsed, ServerStatus } from './server-status.tsx';
import styles from './servers.module.css';

export function useServerColumns({ isNarrow, isPicked, onPick }: ListedOn, connecting: Connecting): Column<Node>[] {
  const t = useTranslate();
  return useMemo(() => {
    const columns: (Column<Node> | false)[] = [
      {
        id: 'name',
        title: t('servers.name'),
        sortKey: 'hostname',
        width: isNarrow ? '36%' : '18%',
        cell: ({ hostname }) => <span title={hostname}>{hostname}</span>,
      },
      !isNarrow && {
        id: 'address',
        title: t('servers.address'),
        sortKey: 'address',
        width: '15%',
        card: 'subtitle',
        cell: (node) => <Address node={node} />,
      },
      labelsColumn(t('servers.labels'), ({ tags }) => tags, { isPicked, onPick }),
      {
        id: 'status',
        title: t('servers.status'),
        sortKey: 'status',
        width: '124px',
        card: 'start',
        cell: (node) => <ServerStatus node={node} />,
      },
      !isNarrow && {
        id: 'last-used',
        title: t('servers.last-used'),
        sortKey: 'lastUsed',
        width: '15%',
        card: 'end',
        cell: (node) => <LastUsed node={node} />,
      },
      connectColumn(t('servers.connect'), (node) => <ConnectCell node={node} connecting={connecting} />),
    ];
    return columns.filter((column) => column !== false);
  }, [t, isNarrow, isPicked, onPick, connecting]);
}

/** A server behind its own agent has no address of its own; one behind another agent has both. */
export function Address({ node: { addr, tunnel } }: { node: Node }) {
  const t = useTranslate();
  return (
    <span className={styles.address}>
      {tunnel && (
        <span className={styles.tunnel} title={t('servers.through-hint')}>
          <Icon of={Cable} size={14} {...(addr ? { label: t('servers.through-other') } : {})} />
          {!addr && t('servers.through-own')}
        </span>
      )}
      {addr && (
        <span className={styles.mono} title={addr}>
          {addr}
        </span>
      )}
    </span>
  );
}
