/** The Audit Log: everything that happened, found by time, type, user and words, followed as it happens, exported and proved. */

import { IconButton } from '@gatehouse/design/icon-button';
import { PageHeader } from '@gatehouse/design/page-header';
import { Switch } from '@gatehouse/design/switch';
import { useKey } from '@gatehouse/design/use-key';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import { Suspense, useCallback, useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { usePageParams } from '../../platform/routing/routing.tsx';
import { SearchField } from '../../shared/resource-list/search-field.tsx';
import { RangePicker } from '../../shared/time-range/range-picker.tsx';
import styles from './audit.module.css';
import { useAuditAddress } from './audit-search-params.ts';
import { type EventRow, toldOf } from './event-row.ts';
import { EventTable } from './event-table.tsx';
import { ExportMenu } from './export-menu.tsx';
import { Facets } from './facets.tsx';
import { FilterChips } from './filter-chips.tsx';
import { FiltersButton } from './filters-button.tsx';
import { barWords } from './histogram/bar-words.ts';
import type { Bar } from './histogram/bars.ts';
import { Histogram } from './histogram/histogram.tsx';
import { Legend } from './histogram/legend.tsx';
import { LogTrouble } from './log-trouble.tsx';
import { useAuditLog } from './use-audit-log.ts';
import { useVerify } from './use-verify.ts';
import { VerifyButton } from './verify-button.tsx';

export function AuditScreen() {
  const t = useTranslate();
  const { now } = useBrowser();
  const { clusterId } = usePageParams('audit');
  const [address, actions] = useAuditAddress();
  const log = useAuditLog(clusterId, address);
  const { source, rows } = log.events;
  const [pointed, setPointed] = useState<Bar>();
  const verify = useVerify(clusterId, log.list.span);

  const { open } = actions;
  const openRow = useCallback(
    (row: EventRow, how: 'replace' | 'push' = 'push') => open({ id: row.key, time: toldOf(row).time }, how),
    [open],
  );
  const openAt = address.open && source.indexOf(address.open.id);
  const beside = (step: 1 | -1) => {
    const row = openAt === undefined ? undefined : rows[openAt + step];
    return row && (() => openRow(row, 'replace'));
  };
  useKey(['Escape'], () => open(undefined), address.open !== undefined);
  const tellBar = useCallback((bar: Bar) => barWords(t, bar, now()), [t, now]);

  return (
    <div className={styles.frame} data-panel={address.open ? '' : undefined}>
      <PageHeader
        title={t('pages.audit')}
        actions={
          <div className={styles.actions}>
            <Switch
              label={liveWords(t, address.isLive, log.tail.isConnected)}
              checked={address.isLive}
              onCheckedChange={actions.follow}
            />
            <IconButton icon={RefreshCw} label={t('audit.refresh')} onClick={log.refresh} />
            <RangePicker range={address.range} span={log.list.span} onPick={actions.pickRange} />
            <VerifyButton
              clusterId={clusterId}
              span={log.list.span}
              verification={verify.verification}
              isOpen={address.isVerifying}
              onOpenChange={actions.verify}
              onStart={() => void verify.start()}
              onStop={verify.forget}
            />
            <ExportMenu list={log.list} total={log.found?.total} />
          </div>
        }
      />
      <LogTrouble clusterId={clusterId} />
      <div className={styles.tools}>
        <SearchField
          label={t('audit.search')}
          value={address.filter.search ?? ''}
          onSearch={(search) => actions.narrow({ search }, 'replace')}
        />
        <FiltersButton className={styles.filters}>
          <Facets counts={log.facets} filter={address.filter} onNarrow={(change) => actions.narrow(change, 'push')} />
        </FiltersButton>
        <FilterChips address={address} actions={actions} />
        <Legend pointed={pointed && tellBar(pointed)} found={log.found} all={address.zoom ? log.chart : undefined} />
      </div>
      <Histogram
        counts={log.chart}
        span={log.chartSpan}
        zoom={address.zoom}
        onZoom={actions.zoomTo}
        onPoint={setPointed}
        tell={tellBar}
      />
      <div className={styles.split}>
        <aside className={styles.facets} aria-label={t('audit.filters')}>
          <Facets counts={log.facets} filter={address.filter} onNarrow={(change) => actions.narrow(change, 'push')} />
        </aside>
        <EventTable log={log} address={address} actions={actions} onOpen={openRow} />
        {address.open && (
          <Suspense>
            <EventPanel
              key={address.open.id}
              clusterId={clusterId}
              open={address.open}
              known={openAt === undefined ? undefined : rows[openAt]?.raw}
              onUp={beside(-1)}
              onDown={beside(1)}
              onShowOnly={actions.showOnly}
              onClose={() => open(undefined)}
            />
          </Suspense>
        )}
      </div>
    </div>
  );
}

const EventPanel = lazyPart(() => import('./details/event-panel.tsx').then((file) => file.EventPanel), ['audit-event']);

function liveWords(t: ReturnType<typeof useTranslate>, isLive: boolean, isConnected: boolean): string {
  if (!isLive) return t('audit.live');
  return isConnected ? t('audit.live-on') : t('audit.live-waiting');
}
