/** The names that are kept, and freeing one after a question: the next application that offers it has it. */

import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { Button } from '@gatehouse/design/button';
import { classNames, ONE_LINE } from '@gatehouse/design/class-names';
import { Dialog } from '@gatehouse/design/dialog';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { AskDialog } from '../../../shared/access-questions/ask-dialog.tsx';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import styles from './away-names.module.css';
import type { AwayApp } from './away-names.ts';

interface AwayNamesDialogProps {
  clusterId: string;
  apps: readonly AwayApp[];
  onClose: () => void;
}

export function AwayNamesDialog({ clusterId, apps, onClose }: AwayNamesDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<string>();
  if (asked !== undefined)
    return (
      <AskDialog
        title={t('app-names.free-title', { app: asked })}
        confirmWord={t('app-names.free')}
        run={() => api(appRoutes.free, { params: { clusterId, name: asked } })}
        done={t('app-names.freed', { app: asked })}
        onClose={() => setAsked(undefined)}
        onDone={() => void queries.invalidateQueries({ queryKey: [RESOURCES] })}
      >
        {t('app-names.free-text', { app: asked })}
      </AskDialog>
    );
  return (
    <Dialog open onOpenChange={onClose} title={t('app-names.title')}>
      <div className={styles.stack}>
        <p>{t('app-names.text')}</p>
        <ul className={styles.list} aria-label={t('app-names.title')}>
          {apps.map(({ name, hosts, group }) => (
            <li key={name} className={styles.row}>
              <span className={styles.names}>
                <strong className={ONE_LINE}>{name}</strong>
                {hosts.map((host) => (
                  <span key={host} className={classNames(ONE_LINE, styles.quiet)}>
                    {host}
                  </span>
                ))}
                <span className={classNames(ONE_LINE, styles.quiet)}>{t('app-names.group', { group })}</span>
              </span>
              <Button
                tone="danger"
                size="small"
                aria-label={t('app-names.free-app', { app: name })}
                onClick={() => setAsked(name)}
              >
                {t('app-names.free')}
              </Button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
