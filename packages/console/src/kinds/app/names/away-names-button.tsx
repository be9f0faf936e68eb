/** Tells administrators that names are kept for applications that are away, and lets them free one. */

import { Button } from '@gatehouse/design/button';
import { lazy, Suspense, useState } from 'react';
import { fetchCode } from '../../../platform/code/fetch-code.ts';
import { loadWords, useTranslate } from '../../../platform/i18n/words.ts';
import { useAwayApps } from './away-names.ts';

export function AwayNamesButton({ clusterId }: { clusterId: string }) {
  const t = useTranslate();
  const apps = useAwayApps(clusterId);
  const [isOpen, setOpen] = useState(false);
  if (apps.length === 0) return null;
  return (
    <>
      <Button tone="ghost" onClick={() => setOpen(true)}>
        {t('apps.away-names', { count: apps.length })}
      </Button>
      {isOpen && (
        <Suspense>
          <AwayNamesDialog clusterId={clusterId} apps={apps} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

const AwayNamesDialog = lazy(async () => {
  const [file] = await Promise.all([
    fetchCode(() => import('./away-names-dialog.tsx')),
    loadWords(['app-names', 'access']),
  ]);
  return { default: file.AwayNamesDialog };
});
