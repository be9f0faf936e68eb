/** Session Recordings: who did what where, found by time, name and what was on the screen, and played. */
import { IconButton } from '@gatehouse/design/icon-button';
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import { useKey } from '@gatehouse/design/use-key';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import { useTranslate } from '../../platform/i18n/words.ts';
import { usePageParams } from '../../platform/routing/routing.tsx';
import { ListFrame } from '../../shared/resource-list/list-frame.tsx';
import { SearchField } from '../../shared/resource-list/search-field.tsx';
import { RangePicker } from '../../shared/time-range/range-picker.tsx';
import { CoverageBadge, GapsPanel } from './list/coverage.tsx';
import { FilterChips, FiltersButton } from './list/filters.tsx';
import { RecordingList } from './list/recording-list.tsx';
import { useRecordings } from './list/use-recordings.ts';
import styles from './recordings-screen.module.css';
import { type SearchScope, useRecordingsAddress } from './recordings-search-params.ts';

export function RecordingsScreen() {
  const t = useTranslate();
  const { clusterId } = usePageParams('recordings');
  const [address, actions] = useRecordingsAddress();
  const recordings = useRecordings(clusterId, address);
  useKey(['Escape'], () => actions.showGaps(false), address.showsGaps);
  return (
    <ListFrame
      title={t('pages.recordings')}
      meta={
        recordings.coverage && (
          <CoverageBadge coverage={recordings.coverage} onOpen={() => actions.showGaps(!address.showsGaps)} />
        )
      }
      actions={
        <>
          <IconButton icon={RefreshCw} label={t('recordings.refresh')} onClick={recordings.refresh} />
          <RangePicker range={address.range} span={recordings.span} onPick={actions.pickRange} />
        </>
      }
      tools={
        <>
          <div className={styles.search}>
            <SearchField
              key={address.place}
              label={t(address.place === 'screen' ? 'recordings.search-screen' : 'recordings.search-names')}
              value={address.search}
              onSearch={actions.search}
            />
            <SegmentedControl<SearchScope>
              label={t('recordings.search-in')}
              value={address.place}
              segments={[
                { value: 'names', label: t('recordings.in-names') },
                { value: 'screen', label: t('recordings.in-screen') },
              ]}
              onValueChange={actions.lookIn}
            />
          </div>
          <FiltersButton filter={address.filter} onNarrow={actions.narrow} />
          <FilterChips filter={address.filter} onNarrow={actions.narrow} onClear={actions.clear} />
        </>
      }
      panel={
        address.showsGaps && (
          <GapsPanel clusterId={clusterId} coverage={recordings.coverage} onClose={() => actions.showGaps(false)} />
        )
      }
    >
      <RecordingList clusterId={clusterId} recordings={recordings} address={address} actions={actions} />
    </ListFrame>
  );
}
