/** The menu of files a result can be taken away as, and how far one is. */
import { Button } from '@gatehouse/design/button';
import { Menu, MenuHeading, MenuItem, MenuSeparator } from '@gatehouse/design/menu';
import { SpinnerRing } from '@gatehouse/design/spinner';
import Download from 'lucide-react/icons/download';
import { useStore } from '../../../../platform/browser/store.ts';
import { formatBytes } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { Result } from '../bench/work.ts';
import type { Workbench } from '../bench/workbench.ts';
import type { Dialect } from '../dialects.ts';
import { failureTitle } from '../session/failure-title.ts';
import styles from './export.module.css';
import { readsOnly } from './reads-only.ts';
import { useExport } from './use-export.ts';

interface ExportMenuProps {
  bench: Workbench;
  slot: number;
  result: Result;
  dialect: Dialect;
  isOver: boolean;
}

const FORMATS = ['csv', 'json'] as const;

export function ExportMenu({ bench, slot, result, dialect, isOver }: ExportMenuProps) {
  const t = useTranslate();
  const { line, ready } = useStore(bench.view);
  const { state, shown, whole, close } = useExport(bench, slot);
  const mayExport = ready?.mayExport !== false;
  const isRepeatable = readsOnly(result.sql, dialect.quoting);
  return (
    <div className={styles.place}>
      {state.is === 'running' && (
        <span className={styles.state} role="status">
          <SpinnerRing size="small" />
          {t('workbench.export-running', { size: formatBytes(state.bytes) })}
          <Button size="small" tone="ghost" onClick={state.cancel}>
            {t('workbench.cancel')}
          </Button>
        </span>
      )}
      {(state.is === 'done' || state.is === 'failed') && (
        <span className={styles.state} role="status">
          {state.is === 'done'
            ? t('workbench.export-done', { count: state.rows, size: formatBytes(state.bytes) })
            : failureTitle(t, state.failure)}
          <Button size="small" tone="ghost" onClick={close}>
            {t('workbench.dismiss')}
          </Button>
        </span>
      )}
      <Menu
        trigger={
          <Button
            size="small"
            tone="ghost"
            icon={Download}
            disabled={!mayExport || !isOver || state.is === 'running'}
            disabledReason={mayExport ? t('workbench.export-later') : t('workbench.export-denied')}
          >
            {t('workbench.export')}
          </Button>
        }
      >
        <MenuHeading>{t('workbench.export-shown', { count: result.count })}</MenuHeading>
        {FORMATS.map((format) => (
          <MenuItem key={format} onSelect={() => shown(result, format)}>
            {t(`workbench.export-${format}`)}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuHeading>{t(isRepeatable ? 'workbench.export-whole' : 'workbench.export-whole-not')}</MenuHeading>
        {FORMATS.map((format) => (
          <MenuItem
            key={format}
            disabled={!isRepeatable || line.is !== 'ready'}
            onSelect={() => whole(result.sql, format)}
          >
            {t(`workbench.export-whole-${format}`)}
          </MenuItem>
        ))}
      </Menu>
    </div>
  );
}
