/** Export of what is shown: every event the search finds, as JSON lines or as a table. */
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { Menu, MenuHeading, MenuItem } from '@gatehouse/design/menu';
import { Notice } from '@gatehouse/design/notice';
import { Progress } from '@gatehouse/design/progress';
import { useToast } from '@gatehouse/design/toast';
import Download from 'lucide-react/icons/download';
import FileJson from 'lucide-react/icons/file-json';
import TableIcon from 'lucide-react/icons/table';
import { useEffect, useRef, useState } from 'react';
import { saveFile } from '../../platform/browser/save-file.ts';
import { useApi } from '../../platform/browser/use-api.ts';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './audit.module.css';
import type { EventList } from './audit-queries.ts';
import { type ExportFormat, exportEvents, fileName, MAX_EXPORTED } from './export-events.ts';

interface ExportMenuProps {
  list: EventList;
  /** How many there are, as far as it is known. */
  total: number | undefined;
}

interface Running {
  format: ExportFormat;
  count: number;
  error: unknown;
}

export function ExportMenu({ list, total }: ExportMenuProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const [running, setRunning] = useState<Running>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);

  const start = async (format: ExportFormat) => {
    const controller = new AbortController();
    stop.current = controller;
    setRunning({ format, count: 0, error: undefined });
    try {
      const { file, count, isCut } = await exportEvents({
        api,
        list,
        format,
        signal: controller.signal,
        onProgress: (done) => setRunning({ format, count: done, error: undefined }),
      });
      const name = fileName(list, format);
      saveFile(file, name);
      setRunning(undefined);
      toast.show({
        tone: isCut ? 'warn' : 'ok',
        title: t('audit.exported', { count }),
        text: isCut ? t('audit.export-cut', { count: MAX_EXPORTED }) : name,
      });
    } catch (error) {
      if (!controller.signal.aborted) setRunning({ format, count: 0, error });
    }
  };
  const close = () => {
    stop.current?.abort();
    setRunning(undefined);
  };
  const most = Math.min(total ?? 0, MAX_EXPORTED);
  return (
    <>
      <Menu
        trigger={
          <Button icon={Download} disabled={total === 0} disabledReason={t('audit.export-nothing')}>
            <span className={styles.word}>{t('audit.export')}</span>
          </Button>
        }
      >
        <MenuHeading>{t('audit.export-what', { count: total ?? 0 })}</MenuHeading>
        <MenuItem icon={FileJson} hint=".jsonl" onSelect={() => void start('jsonl')}>
          {t('audit.export-jsonl')}
        </MenuItem>
        <MenuItem icon={TableIcon} hint=".csv" onSelect={() => void start('csv')}>
          {t('audit.export-csv')}
        </MenuItem>
      </Menu>
      {running && (
        <Dialog
          open
          onOpenChange={close}
          title={t('audit.exporting')}
          footer={<Button onClick={close}>{running.error ? t('common.close') : t('audit.cancel')}</Button>}
        >
          {running.error ? (
            <Notice tone="bad">{failureWords(t, running.error)}</Notice>
          ) : (
            <Progress
              label={t(`audit.export-${running.format}`)}
              value={most > 0 ? running.count / most : undefined}
              detail={t('audit.export-progress', { count: running.count, total: most })}
            />
          )}
        </Dialog>
      )}
    </>
  );
}
