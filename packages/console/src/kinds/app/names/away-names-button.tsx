/** Tells administrators that names are kept for applications that are away, and lets them free one. */

import { Button } from '@gatehouse/design/button';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
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

const AwayNamesDialog = lazyPart(
  () => import('./away-names-dialog.tsx').then((file) => file.AwayNamesDialog),
  ['app-names', 'access'],
);
