/** Opens a cluster in the browser, and behind the arrow the commands for kubectl. */
import { pagePath } from '@gatehouse/contract/console/pages';
import type { KubeCluster } from '@gatehouse/contract/kinds/kube/kubernetes';
import { SplitArrow, SplitButton } from '@gatehouse/design/split-button';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useFollow } from '../../../platform/routing/routing.tsx';

interface ConnectCellProps {
  clusterId: string;
  cluster: KubeCluster;
  onCommands: (name: string) => void;
}

export function ConnectCell({ clusterId, cluster: { name }, onCommands }: ConnectCellProps) {
  const t = useTranslate();
  const follow = useFollow();
  return (
    <SplitButton
      data-row-action=""
      aria-label={t('kubernetes.open-in', { name })}
      onClick={() => follow(pagePath('kube', { clusterId, name }))}
      more={
        <SplitArrow
          label={t('kubernetes.commands-for', { name })}
          data-row-choice=""
          onClick={() => onCommands(name)}
        />
      }
    >
      {t('kubernetes.connect')}
    </SplitButton>
  );
}
