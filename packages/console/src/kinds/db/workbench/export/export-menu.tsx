/** The menu of files a result can be taken away as, and how far one is. */
import { EXPORT_FORMATS, type ExportFormat } from '@gatehouse/contract/kinds/db/editor';
import { Button } from '@gatehouse/design/button';
import { Menu, MenuHeading, MenuItem, MenuSeparator } from '@gatehouse/design/menu';
import { SpinnerRing } from '@gatehouse/design/spinner';
import Download from 'lucide-react/icons/download';
import { useStore } from '../../../../platform/browser/store.ts';
import { formatBytes } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { Result } from '../bench/work.ts';
import type { Workbench } from '../bench/workbench.ts';
import { failureTitle } from '../session/failure-title.ts';
import styles from './export.module.css';
import { type FileOf, useExport } from './use-export.ts';

interface ExportMenuProps {
  bench: Workbench;
  slot: number;
  result: Result;
  /** Its statement can be run once more without anything happening twice. */
  isRepeatable: boolean;
  /** As what the whole can be had. */
  wholeFormats?: readonly ExportFormat[];
  fileOf?: FileOf;
  isOver: boolean;
}

export function ExportMenu(props: ExportMenuProps) {
  const { bench, slot, result, isRepeatable, wholeFormats = EXPORT_FORMATS, fileOf, isOver } = props;
  const t = useTranslate();
  const { line, ready } = useStore(bench.view);
  const { state, shown, whole, close } = useExport(bench, slot, fileOf);
  const mayExport = ready?.mayExport !== false;
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
        {EXPORT_FORMATS.map((format) => (
          <MenuItem key={format} onSelect={() => shown(result, format)}>
            {t(`workbench.export-${format}`)}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuHeading>{t(isRepeatable ? 'workbench.export-whole' : 'workbench.export-whole-not')}</MenuHeading>
        {wholeFormats.map((format) => (
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
