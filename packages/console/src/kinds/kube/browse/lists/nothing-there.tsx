/** An empty list: because nothing is there, or because it is narrowed. */
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import Boxes from 'lucide-react/icons/boxes';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { UsedAddress } from '../address.ts';
import type { RowList } from '../rows/row-store.ts';

interface NothingThereProps {
  list: RowList;
  search: string;
  isTrouble: boolean;
  actions: UsedAddress['actions'];
}

export function NothingThere({ list, search, isTrouble, actions }: NothingThereProps) {
  const t = useTranslate();
  // What was refused is told above it.
  if (list.failures.length > 0 && list.rows.size === 0) return null;
  const isNarrowed = (search !== '' || isTrouble) && list.rows.size > 0;
  return (
    <EmptyState
      icon={Boxes}
      title={t(isNarrowed ? 'kube-browse.no-match' : 'kube-browse.nothing')}
      actions={
        isNarrowed && (
          <Button
            onClick={() => {
              actions.search('');
              actions.trouble(false);
            }}
          >
            {t('kube-browse.clear')}
          </Button>
        )
      }
    >
      {t(isNarrowed ? 'kube-browse.no-match-text' : 'kube-browse.nothing-text')}
    </EmptyState>
  );
}
